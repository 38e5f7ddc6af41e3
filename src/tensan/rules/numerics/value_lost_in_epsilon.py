"""NUM122: what a logarithm is taken of is nothing but the small number that was to keep it from zero."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.things import Operation, Spread
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding, Proof
from tensan.core.operations import ancestors, through_layout
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence
from tensan.rules.traces import parameters_behind

#: Steps that must have shown it.
_LEAST_STEPS = 2
#: Larger numbers are no guard against zero.
_MOST_GUARD = 1e-2
#: How much larger than the guard alone the largest argument may be.
_ALONE = 1.01


class ValueLostInEpsilon(Rule):
    """
    ## What it does

    Finds logarithms on the way to the loss whose argument is, for every sample, the small number that was added to it or that it was
    clamped to: `log(p + 1e-8)` where every `p` is far below 1e-8.

    ## Why is this bad?

    The values have underflowed, most often as a product of many probabilities, and the guard hides that. The loss is the logarithm of
    the guard, the same for all samples, and the gradient is all but zero (behind a clamp it is zero), so that nothing is learned.

    ## Example

    ```python
    likelihood = pixel_probabilities.prod(dim=-1)
    loss = -torch.log(likelihood + 1e-8).mean()
    ```

    ## Use instead

    ```python
    log_likelihood = pixel_probabilities.log().sum(dim=-1)
    loss = -log_likelihood.mean()
    ```

    ## Known problems

    Only logarithms are looked at, the first ones of a step.
    """

    code = "NUM122"
    name = "value-lost-in-epsilon"
    category = Category.SUSPICIOUS
    law = 9
    effect = "no-gradient"
    explains = frozenset({"no-gradient", "no-update"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._evidence: dict[Place, Evidence[tuple[Loss, Operation, Operation, Spread, float]]] = {}

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        for index in sorted(loss.spreads.keys() & set(ancestors(loss.operations, [loss.value.producer]))):
            operation, spread = loss.operations[index], loss.spreads[index][0]
            guarding = _guarding(loss, operation)
            self.armed = self.armed or operation.name == "log"
            if spread is None or guarding is None:
                continue
            guard, number = guarding
            evidence = self._evidence.setdefault(operation.site, Evidence(_LEAST_STEPS))
            if not 0 < spread.minimum <= spread.maximum <= number * _ALONE:
                evidence.refute()
                continue
            for seen in evidence.add((loss, operation, guard, spread, number)):
                yield self._finding(*seen)

    def _finding(self, loss: Loss, operation: Operation, guard: Operation, spread: Spread, number: float) -> Finding:
        clamped = guard.name == "clamp"
        how = f"clamped to {number:g}" if clamped else f"nothing beside the {number:g} that is added"
        return self.finding(
            f"the logarithm is taken of what is {how}, for every sample: the values have underflowed",
            at=operation.site,
            event=loss,
            label=f"{operation.inputs[0]} reaches from {spread.minimum:.3g} to {spread.maximum:.3g}",
            evidence={"guard": number, "smallest": spread.minimum, "largest": spread.maximum},
            related=[("the guard is put in here", guard.site)] if guard.site != operation.site else [],
            proof=Proof.LAW,
            proof_note=(
                f"in {_LEAST_STEPS} recorded steps and more no value was above {number * _ALONE:.3g}, so the loss is that of the guard "
                + ("and its gradient is zero" if clamped else "and the gradient is that of values which no longer count")
            ),
            subjects=parameters_behind(loss.operations, operation.index),
            help="add up logarithms instead of multiplying probabilities: `x.log().sum(...)`, `log_softmax`, `logsumexp`",
        )


def _guarding(loss: Loss, operation: Operation) -> tuple[Operation, float] | None:
    """Returns the operation that keeps the argument of a logarithm from zero, and the number by which it does; None where none does."""
    if operation.name != "log" or not operation.inputs:
        return None
    index = through_layout(loss.operations, operation.inputs[0].producer)
    if index < 0:
        return None
    guard = loss.operations[index]
    arguments = guard.settings.get("arguments")
    number = next((item for item in arguments if isinstance(item, float)), None) if isinstance(arguments, tuple) else None
    if guard.name not in ("add", "clamp") or len(guard.inputs) != 1 or number is None or not 0 < number <= _MOST_GUARD:
        return None
    return guard, number
