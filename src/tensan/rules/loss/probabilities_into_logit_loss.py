"""Probabilities given to a loss that is defined on logits."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.asks import Change, fix
from tensan.core.events.things import Operation
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import ancestors, through_layout
from tensan.core.rule import Rule
from tensan.rules.loss._shared import place_of, softmax_axis
from tensan.rules.repairs import without_squashing
from tensan.rules.traces import line_of

_EXACT = 1e-4

_MAKE_PROBABILITIES = {"softmax": "a softmax", "sigmoid": "a sigmoid"}
#: Operations that turn logits into log-probabilities themselves, and what programs call the loss around them.
_TAKE_LOGITS = {
    "log_softmax": "a loss that applies log-softmax itself",
    "binary_cross_entropy_with_logits": "a loss that applies a sigmoid itself",
}


class ProbabilitiesIntoLogitLoss(Rule):
    """
    ## What it does
    Finds the result of a softmax or a sigmoid on its way, unchanged, into a loss that applies one itself: cross-entropy, log-softmax, or
    binary cross-entropy with logits.

    ## Why is this bad?
    The second softmax sees values between 0 and 1 only, so it can never be sure: with two classes the loss stays above 0.31
    however good the model is, and gradients shrink by the slope of the first one. Training works, slowly and to a worse end.

    ## Example
    ```python
    def forward(self, x):
        return F.softmax(self.head(x), dim=-1)
    loss = F.cross_entropy(model(x), y)
    ```

    ## Use instead
    ```python
    def forward(self, x):
        return self.head(x)                     # softmax belongs where probabilities are read
    loss = F.cross_entropy(model(x), y)
    ```

    ## Known problems
    Probabilities that are scaled or shifted before the loss (`probabilities / temperature`) are taken for a wish and pass. So does a
    sigmoid written out by hand; a softmax by hand is told by its values. Log-softmax applied twice changes nothing and passes.
    """

    code = "LOS101"
    name = "probabilities-into-logit-loss"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-gradient"

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        operations = loss.operations
        for index in sorted(ancestors(operations, [loss.value.producer])):
            taker = operations[index]
            if taker.name not in _TAKE_LOGITS or not taker.inputs or not taker.inputs[0].requires_grad:
                continue
            self.armed = True
            source = through_layout(operations, taker.inputs[0].producer, also=frozenset({"clamp"}))
            if source < 0:
                continue
            giver = operations[source]
            if giver.name not in _MAKE_PROBABILITIES:
                if _are_probabilities(loss, taker):
                    yield self._by_values(loss, giver, taker)
                continue
            apart = line_of(place_of(giver, taker)) != line_of(taker.site)
            yield self.finding(
                f"the loss expects logits and gets the result of {_MAKE_PROBABILITIES[giver.name]}",
                at=place_of(giver, taker),
                event=loss,
                label=f"{taker.inputs[0]} of probabilities" + ("" if apart else f" goes into {_TAKE_LOGITS[taker.name]}"),
                evidence={"made by": giver.name, "taken by": taker.name},
                related=[(f"goes into {_TAKE_LOGITS[taker.name]}", taker.site)] if apart else (),
                proof_note=f"the input of `{taker.name}` is the output of `{giver.name}`, unchanged",
                help=f"give the loss what `{giver.name}` was given, and apply `{giver.name}` only where probabilities are read",
                repairs=without_squashing(giver.site, read_once=True),
                fix=fix(Change.DROP, "operation", operation=giver),
            )

    def _by_values(self, loss: Loss, giver: Operation, taker: Operation) -> Finding:
        apart = line_of(place_of(giver, taker)) != line_of(taker.site)
        return self.finding(
            "the loss expects logits and gets probabilities",
            at=place_of(giver, taker),
            event=loss,
            label=f"{taker.inputs[0]} of probabilities" + ("" if apart else f" goes into {_TAKE_LOGITS[taker.name]}"),
            evidence={"made by": giver.name, "taken by": taker.name},
            related=[(f"goes into {_TAKE_LOGITS[taker.name]}", taker.site)] if apart else (),
            proof_note=f"no value that `{taker.name}` is given is below 0, and those of each sample sum to 1",
            help="give the loss the scores that the probabilities were made of, and make probabilities only where they are read",
        )


def _are_probabilities(loss: Loss, taker: Operation) -> bool:
    """Tells by their values whether what goes into a log-softmax are probabilities already."""
    spread, axis = loss.spreads.get(taker.index, (None, None))[0], softmax_axis(taker)
    if taker.name != "log_softmax" or spread is None or axis is None or axis >= len(spread.sums) or taker.inputs[0].shape[axis] < 2:
        return False
    least, most = spread.sums[axis]
    # A hand-written softmax is exact but for rounding; values that happen to be near one are not meant.
    return spread.minimum >= 0 and abs(least - 1) < _EXACT and abs(most - 1) < _EXACT and spread.minimum < spread.maximum
