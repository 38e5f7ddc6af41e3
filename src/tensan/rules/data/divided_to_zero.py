"""DAT128: a whole division makes zero of every value, where a share was meant that the model is to see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensan.core.events.things import Operation
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding, Proof
from tensan.core.operations import EXPAND, LAYOUT
from tensan.core.rule import Rule
from tensan.core.sites import Place

#: Recorded steps with other values each, and different values of one, that must have been seen.
_LEAST_STEPS = 2
_LEAST_VALUES = 5
#: What is divided must fill the range from 0 to the divisor in each step, from here to there: else a quotient may be the number of a block,
#: and later ones come in later batches.
_FROM, _TO = 0.2, 0.8
#: What only lays values out anew, and what computes with them as numbers and not as places.
_LAYING_OUT = LAYOUT - {"cast"} | EXPAND | {"concatenate", "detach"}
_COMPUTING = frozenset({"cast", "mul", "add", "sub", "div", "sin", "cos", "exp"})


class DividedToZero(Rule):
    """
    ## What it does

    Finds a division by `//` of integers that vary, inside a model, whose quotient is zero for every value, in each step, and is computed
    with as a number.

    ## Why is this bad?

    `t // T` is the whole part of the quotient: for every `t` below `T` it is 0, where `t / T` runs from 0 to 1. What the model is given is
    a constant, and it cannot know what the time, the level or the position was.

    ## Example

    ```python
    level = (t // self.steps).float()
    ```

    ## Use instead

    ```python
    level = t / self.steps
    ```

    ## Known problems

    The number of a day that is 0 for all data looks the same, where it is used as a number. Places in a table, which are looked up, pass,
    and so do values that do not fill the range from 0 to the divisor.
    """

    code = "DAT128"
    name = "divided-to-zero"
    category = Category.SUSPICIOUS
    law = 7
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._seen: dict[Place, list[tuple[object, ...]]] = {}
        self._refuted: set[Place] = set()

    def on_loss(self, event: Loss) -> Iterator[Finding]:
        for operation in event.operations:
            if operation.name != "floor_divide" or "all_zero" not in operation.settings:
                continue
            self.armed = True
            divided = _divided(operation)
            if divided is None or not _is_number(event.operations, operation.index):
                self._refuted.add(operation.site)
                continue
            seen = self._seen.setdefault(operation.site, [])
            if divided not in seen:
                seen.append(divided)
            if len(seen) >= _LEAST_STEPS and operation.site not in self._refuted:
                yield self._finding(event, operation.site, divided, len(seen))

    def _finding(self, event: Loss, site: Place, divided: tuple[float, ...], steps: int) -> Finding:
        least, most, different, _, divisor = divided
        return self.finding(
            f"`//` makes 0 of every value: {different} different ones from {least:g} to {most:g}, divided by {divisor:g}",
            at=site,
            event=event,
            label="is 0 throughout, and the model computes with it",
            evidence={"smallest": least, "largest": most, "different": different, "divisor": divisor},
            proof=Proof.STATISTIC,
            proof_note=f"in {steps} recorded steps with other values each, every quotient was 0",
            help="divide by `/`, which gives the share",
        )


def _divided(operation: Operation) -> tuple[float, ...] | None:
    """Returns what was divided, where the quotients are zero because all of it is smaller than the divisor, though not by far."""
    divided = operation.settings.get("divided")
    if not isinstance(divided, tuple) or len(divided) != 5:
        return None
    least, most, different, _, divisor = divided
    fills = 0 <= least <= _FROM * divisor and _TO * divisor <= most < divisor
    return divided if fills and different >= _LEAST_VALUES else None


def _is_number(operations: Sequence[Operation], index: int) -> bool:
    """Tells whether the result of an operation is made a fraction of, and is no place or number of something."""
    derived = {index}
    found = False
    for operation in operations:
        if not any(value.producer in derived for value in operation.inputs):
            continue
        floating = any("float" in value.dtype for value in operation.outputs)
        if floating and (operation.name in _COMPUTING or operation.name in _LAYING_OUT):  # put beside fractions it becomes one
            found = True
        elif operation.name in _LAYING_OUT and not floating:
            derived.add(operation.index)
        else:
            return False
    return found
