"""LOS125: noise is scaled by another spread than the one that the divergence from a standard normal is computed of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place

#: Operations that a sum of terms is followed through.
_MOST_TERMS = 32
_CLOSE = 1e-6


class _Divergence(msgspec.Struct, frozen=True):
    """A divergence from a standard normal: what gives the logarithm of which power of the spread, and where that power is."""

    producer: int
    power: float
    site: Place


class SpreadTakenForVariance(Rule):
    """
    ## What it does

    Finds variational models whose noise is multiplied by another spread than the one that their divergence from a standard normal,
    `1 + v - mean ** 2 - exp(v)`, is computed of: by `exp(v)`, or by `v` itself, where that formula says that `v` is the logarithm of the
    variance.

    ## Why is this bad?

    The divergence keeps one spread near one, and what is drawn has another: its square, or its logarithm, which may well be zero or
    negative. The two terms of the loss speak of two distributions, so the bound that is raised is none, and samples from the prior do not
    look like the data.

    ## Example

    ```python
    spread = torch.exp(log_variance)
    z = mean + torch.randn_like(spread) * spread
    ```

    ## Use instead

    ```python
    spread = torch.exp(0.5 * log_variance)
    z = mean + torch.randn_like(spread) * spread
    ```

    ## Known problems

    Divergences of `torch.distributions` are right by themselves and are not looked at, nor is one whose exponential is written in another
    way than `exp`.
    """

    code = "LOS125"
    name = "spread-taken-for-variance"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._told: set[Place] = set()

    def on_loss(self, event: Loss) -> Iterator[Finding]:
        divergences = list(_divergences(event.operations))
        for operation in event.operations if divergences else ():
            scale = _scale_of_noise(event.operations, operation)
            if scale is None:
                continue
            for divergence in divergences:
                power = _power_of_logarithm(event.operations, scale, divergence.producer)
                if power is None:
                    continue
                self.armed = True
                if abs(2 * power - divergence.power) > _CLOSE and operation.site not in self._told:
                    self._told.add(operation.site)
                    yield self._finding(event, operation, scale, power, divergence)

    def _finding(self, event: Loss, operation: Operation, scale: Value, power: float, divergence: _Divergence) -> Finding:
        maker = event.operations[scale.producer]
        used = "v" if power == 0 else f"exp({_factor(power)}v)"
        right = f"exp({_factor(divergence.power / 2)}v)"
        return self.finding(
            f"noise is multiplied by `{used}`, and the divergence says that the spread is `{right}`",
            at=operation.site if power == 0 else maker.site,
            event=event,
            label="this is no spread, as the divergence has it",
            evidence={"used": used, "right": right},
            related=[("the divergence takes the same value for a logarithm of the variance here", divergence.site)],
            proof_note=f"`{_factor(divergence.power)}v - exp({_factor(divergence.power)}v)` is largest where `{right}` is one: "
            "that is the spread whose divergence it is",
            help=f"multiply the noise by `{right}`" + (", the square root of the variance" if divergence.power == 1 else ""),
        )


def _factor(number: float) -> str:
    return "" if number == 1 else f"{number:g} * "


def _divergences(operations: Sequence[Operation]) -> Iterator[_Divergence]:
    """Yields sums of `p * v` and `-exp(p * v)`, with the same factor before both."""
    consumers: defaultdict[int, list[Operation]] = defaultdict(list)
    for operation in operations:
        for value in operation.inputs:
            consumers[value.producer].append(operation)
    for operation in operations:
        if operation.name != "exp" or not operation.gradients:
            continue
        producer, power = _scaled(operations, operation.inputs[0])
        if producer < 0 or power <= 0:
            continue
        top = operation
        for _ in range(_MOST_TERMS):
            above = [each for each in consumers[top.index] if each.name in ("add", "sub", "neg") or _is_scaled(each)]
            if len(above) != 1:
                break
            top = above[0]
        terms = _terms(operations, top)
        exponential = sum(factor for index, factor in terms if index == operation.index)
        linear = sum(factor for index, factor in terms if index == producer)
        if exponential and abs(linear + power * exponential) < _CLOSE:
            yield _Divergence(producer, power, operation.site)


def _terms(operations: Sequence[Operation], top: Operation) -> list[tuple[int, float]]:
    """Returns what a sum is made of, each operation with its factor."""
    found: list[tuple[int, float]] = []
    waiting = [(top.index, 1.0)]
    while waiting and len(found) < _MOST_TERMS:
        index, factor = waiting.pop()
        operation = operations[index] if index >= 0 else None
        if operation is not None and _is_scaled(operation):
            waiting.append((operation.inputs[0].producer, factor * _number(operation)))
            continue
        if operation is None or operation.name not in ("add", "sub", "neg"):
            found.append((index, factor))
            continue
        signs = [-1.0] if operation.name == "neg" else [1.0, -1.0 if operation.name == "sub" else 1.0]
        if _is_reversed(operation):
            signs = [-1.0]
        waiting += [(value.producer, factor * sign) for value, sign in zip(operation.inputs, signs, strict=False)]
    return found


def _is_reversed(operation: Operation) -> bool:
    """Tells whether an array is taken from a number: `1 - x`."""
    return operation.settings.get("aten") == "aten::rsub"


def _is_scaled(operation: Operation) -> bool:
    """Tells whether an array is multiplied by a number, or divided by one."""
    return operation.name in ("mul", "div") and len(operation.inputs) == 1


def _scaled(operations: Sequence[Operation], value: Value) -> tuple[int, float]:
    """Returns which operation gave a value, through factors that are numbers, and their product."""
    producer, factor = value.producer, 1.0
    while producer >= 0 and _is_scaled(operations[producer]):
        factor *= _number(operations[producer])
        producer = operations[producer].inputs[0].producer
    return producer, factor


def _number(operation: Operation) -> float:
    """Returns the number that an array is multiplied by; 0 where that is none."""
    given = operation.settings.get("arguments")
    number = given[0] if isinstance(given, tuple) and given else 0
    if not isinstance(number, (int, float)) or isinstance(number, bool):
        return 0.0
    return 1 / number if operation.name == "div" and number else float(number)


def _scale_of_noise(operations: Sequence[Operation], operation: Operation) -> Value | None:
    """Returns what noise is multiplied by, where an operation does that."""
    if operation.name != "mul" or len(operation.inputs) != 2:
        return None
    noise = [_is_noise(operations, value) for value in operation.inputs]
    if noise.count(True) != 1:
        return None
    scale = operation.inputs[noise.index(False)]
    return scale if scale.requires_grad and scale.producer >= 0 and scale.shape == operation.inputs[noise.index(True)].shape else None


def _is_noise(operations: Sequence[Operation], value: Value) -> bool:
    aten = str(operations[value.producer].settings.get("aten")) if value.producer >= 0 else ""
    return not value.requires_grad and any(name in aten for name in ("randn", "normal"))


def _power_of_logarithm(operations: Sequence[Operation], scale: Value, producer: int) -> float | None:
    """Returns `a` where a scale is `exp(a * v)` and 0 where it is `v` itself; None where it is something else."""
    if _scaled(operations, scale)[0] == producer:
        return 0.0
    operation, share = operations[scale.producer], 1.0
    if operation.name == "sqrt" or (operation.name == "pow" and operation.settings.get("arguments") == (0.5,)):
        share = 0.5
        operation = operations[operation.inputs[0].producer] if operation.inputs[0].producer >= 0 else operation
    if operation.name != "exp":
        return None
    found, power = _scaled(operations, operation.inputs[0])
    return share * power if found == producer else None
