"""A sigmoid or softmax applied to the result of another on the way to the loss."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.asks import Change, fix
from tensan.core.events.things import Operation
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.loss._shared import comparisons, place_of, source
from tensan.rules.repairs import without_squashing
from tensan.rules.traces import line_of

_SQUASHING = {"sigmoid": "a sigmoid", "softmax": "a softmax"}


class SquashedTwice(Rule):
    """
    ## What it does
    Finds predictions that went through two of sigmoid and softmax, one right after the other, before they are compared with targets.

    ## Why is this bad?
    The second one sees values between 0 and 1 only. A sigmoid of them lies between 0.5 and 0.73, so the model can never be sure and
    never say no; gradients shrink by both slopes.

    ## Example
    ```python
    def forward(self, x):
        return torch.sigmoid(self.head(x))
    loss = F.binary_cross_entropy(torch.sigmoid(model(x)), y)
    ```

    ## Use instead
    ```python
    loss = F.binary_cross_entropy(model(x), y)
    ```

    ## Known problems
    Probabilities that are scaled or shifted in between are taken to be meant. Losses that apply the second one themselves are
    told by `probabilities-into-logit-loss`.
    """

    code = "LOS109"
    name = "squashed-twice"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-gradient"

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        for comparison in comparisons(loss):
            second = source(loss.operations, comparison.prediction, also=frozenset({"log"}))
            if second is None or second.name not in _SQUASHING or not second.inputs[0].requires_grad:
                continue
            self.armed = True
            first = source(loss.operations, second.inputs[0])
            if first is not None and first.name in _SQUASHING:
                yield self._finding(loss, first, second)

    def _finding(self, loss: Loss, first: Operation, second: Operation) -> Finding:
        apart = line_of(first.site) != line_of(second.site)
        return self.finding(
            f"{_SQUASHING[second.name]} of {_SQUASHING[first.name]}: predictions are squashed twice",
            at=place_of(second, first),
            event=loss,
            label=f"{second.inputs[0]} of probabilities already",
            evidence={"first": first.name, "second": second.name},
            related=[("they were made probabilities here", first.site)] if apart else (),
            proof_note=f"the input of `{second.name}` is the output of `{first.name}`, unchanged",
            help="apply it once: leave one of the two out, or give the raw outputs to a loss that takes logits",
            repairs=without_squashing(second.site) if first.site is not None and second.site is not None else (),
            fix=fix(Change.DROP, "operation", operation=second),
        )
