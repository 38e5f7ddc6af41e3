"""ARC105: vectors are brought to length one along another axis than the one that their products sum over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import EXPAND, LAYOUT
from tensan.core.rule import Rule
from tensan.rules.axes import axis_before
from tensan.rules.traces import line_of, parameters_behind, reaches

_MOVES = LAYOUT | EXPAND
#: From similarities to their softmax: a temperature, a mask, a margin, a choice of pairs.
_TO_SCORES = _MOVES | {"div", "mul", "add", "sub", "masked_fill", "where", "gather", "concatenate", "neg", "softmax", "log_softmax"}
#: Between a norm and what is divided by it: a floor.
_TO_DIVISOR = _MOVES | {"clamp", "add", "maximum"}


class Normalised(msgspec.Struct, frozen=True, kw_only=True):
    """A side of a product that was divided by its own norm.

    Attributes:
        division: the operation that divides; axis: along which the norm was taken.
        summed: the axis of the divided value that the product sums over.
    """

    division: Operation
    axis: int
    summed: int


class SimilarityOverWrongAxis(Rule):
    """
    ## What it does

    Finds similarities, products of vectors on the way to a softmax, whose two sides were both brought to length one, one of them along
    another axis than the one that the product sums over: along the batch.

    ## Why is this bad?

    The products are no cosines. With `F.normalize(z, dim=0)` each feature has length one over the batch, while a sample's vector has any
    length: the similarity of two samples depends on which others are in the batch, is near zero in a large one, and the temperature that
    was chosen for cosines does not fit. The loss goes down all the same.

    ## Example

    ```python
    z = F.normalize(encoder(x), dim=0)
    logits = z @ z.T / temperature
    ```

    ## Use instead

    ```python
    z = F.normalize(encoder(x), dim=1)
    ```

    ## Known problems

    Speaks of the Euclidean norm only, where both sides are normalised and a softmax follows: what is standardised over the batch, as
    for correlations of features, is another thing.
    """

    code = "ARC105"
    name = "similarity-over-wrong-axis"
    category = Category.SUSPICIOUS
    law = 6
    effect = "scrambled"

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        operations = loss.operations
        softmaxes = [operation.index for operation in operations if operation.name in ("softmax", "log_softmax")]
        told = set[int]()
        for product in operations:
            sides = _sides(operations, product) if product.name == "matmul" else ()
            if len(sides) != 2 or not any(reaches(operations, product.index, index, through=_TO_SCORES) for index in softmaxes):
                continue
            self.armed = True
            for side in sides:
                index = side.division.index
                if side.axis != side.summed and index not in told and _is_computed(operations, side.division):
                    told.add(index)
                    yield self._finding(loss, product, side)

    def _finding(self, loss: Loss, product: Operation, side: Normalised) -> Finding:
        value = side.division.outputs[0]
        apart = line_of(side.division.site) != line_of(product.site)
        return self.finding(
            f"vectors are brought to length one along axis {side.axis} of {value}, and compared along axis {side.summed}",
            at=side.division.site,
            event=loss,
            label=f"length one along axis {side.axis}",
            evidence={"value": str(value), "normalised along": side.axis, "summed along": side.summed},
            related=[(f"the product sums along axis {side.summed} here", product.site)] if apart else (),
            proof_note=f"the product sums over axis {side.summed}, of {value.shape[side.summed]} entries, and the norm was taken over "
            f"axis {side.axis}, of {value.shape[side.axis]}",
            help=f"normalise along the axis that the product sums over: `dim={side.summed}`",
            subjects={"*"},
        )


def _sides(operations: Sequence[Operation], product: Operation) -> tuple[Normalised, ...]:
    """Returns the sides of a product that were divided by their norms."""
    if len(product.inputs) < 2:
        return ()
    left, right = product.inputs[-2:]
    if min(len(left.shape), len(right.shape)) < 2:
        return ()
    found = (_normalised(operations, left, len(left.shape) - 1), _normalised(operations, right, len(right.shape) - 2))
    return tuple(side for side in found if side is not None)


def _normalised(operations: Sequence[Operation], value: Value, axis: int) -> Normalised | None:
    """Follows one side of a product back to where it was divided by its norm."""
    while value.producer >= 0 and value.shape[axis] > 1:
        operation = operations[value.producer]
        if not operation.inputs or not operation.outputs or operation.outputs[0].shape != value.shape:
            return None
        given = operation.inputs[0]
        if operation.name == "div" and len(operation.inputs) == 2:
            along = _norm_axis(operations, given, operation.inputs[1])
            if along is not None:
                return Normalised(division=operation, axis=along, summed=axis)
        if operation.name in ("div", "mul"):
            scaled = [each for each in operation.inputs if any(size != 1 for size in each.shape)]
            if len(scaled) != 1 or scaled[0].shape != value.shape:
                return None
            value = scaled[0]  # by a temperature
        elif operation.name == "concatenate" and len(given.shape) == len(value.shape) and given.shape[axis] == value.shape[axis]:
            value = given
        else:
            before = axis_before(operation, axis) if operation.name in _MOVES else None
            if before is None:
                return None
            value, axis = given, before
    return None


def _norm_axis(operations: Sequence[Operation], value: Value, divisor: Value) -> int | None:
    """Returns the one axis along which the Euclidean norm of a value was taken, where that is what it is divided by."""
    index = divisor.producer
    while index >= 0 and operations[index].name in _TO_DIVISOR and operations[index].inputs:
        index = operations[index].inputs[0].producer
    norm = operations[index] if index >= 0 else None
    if norm is None or norm.name != "norm" or norm.inputs[0].producer != value.producer or norm.inputs[0].shape != value.shape:
        return None
    arguments = norm.settings.get("arguments")
    order, axes = arguments[:2] if isinstance(arguments, tuple) and len(arguments) > 1 else (None, None)
    return axes[0] % len(value.shape) if order == 2 and isinstance(axes, tuple) and len(axes) == 1 else None


def _is_computed(operations: Sequence[Operation], division: Operation) -> bool:
    """Tells whether a value came from the batch through weights, and is not made of a weight alone."""
    given = division.inputs[0]
    learned = given.requires_grad and given.producer >= 0 and parameters_behind(operations, given.producer)
    return bool(learned) and _has_data(operations, given)


def _has_data(operations: Sequence[Operation], value: Value) -> bool:
    waiting, seen = [value.producer], set[int]()
    while waiting:
        index = waiting.pop()
        if index < 0 or index in seen:
            continue
        seen.add(index)
        inputs = operations[index].inputs
        if any(each.producer < 0 and not each.requires_grad and not (each.subject or "").startswith("parameter") for each in inputs):
            return True
        waiting += [each.producer for each in inputs]
    return False
