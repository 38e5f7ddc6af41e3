"""Axes of recorded values: where a shape is cut, and which axis one was before a value was laid out anew."""

from __future__ import annotations

from collections.abc import Sequence

from tensan.core.events.things import Operation, Shape
from tensan.core.operations import EXPAND, LAYOUT


def cuts(shape: Shape) -> list[int]:
    """Returns for the begin of each axis, and the end, how many values lie behind it."""
    found = [1]
    for length in reversed(shape):
        found.append(found[-1] * length)
    return found[::-1]


def is_cut_anew(given: Shape, made: Shape, axis: int) -> bool:
    """Tells whether a reshape cuts across an axis: neither keeps nor splits it, nor joins it with its neighbours."""
    before, after = cuts(given), cuts(made)
    common = set(before) & set(after)
    high = min(cut for cut in common if cut >= before[axis])
    low = max(cut for cut in common if cut <= before[axis + 1])
    return all(
        sum(size > 1 and behind[place] <= high and behind[place + 1] >= low for place, size in enumerate(shape)) > 1
        for shape, behind in ((given, before), (made, after))
    )


def axis_before(operation: Operation, axis: int) -> int | None:
    """Returns which axis of its input an axis of an operation's result was; None where it is none, or a part or several of them.

    Args:
        operation: one that lays out, repeats or works on each value alone.
        axis: counted from the front, of more than one entry.
    """
    given, made = operation.inputs[0].shape, operation.outputs[0].shape
    if operation.name == "transpose":
        return order_of(operation, len(given))[axis]
    if operation.name in EXPAND:
        before = axis - (len(made) - len(given))
        return before if before >= 0 and given[before] == made[axis] else None
    if operation.name == "slice" and len(given) == len(made):
        return axis if given[axis] == made[axis] else None
    if operation.name not in LAYOUT or given == made:
        return axis if given == made else None
    behind = cuts(made)[axis + 1]
    return next((before for before, size in enumerate(given) if size == made[axis] and cuts(given)[before + 1] == behind), None)


def order_of(operation: Operation, rank: int) -> Sequence[int]:
    """Returns for each axis of the result which one it was."""
    arguments = operation.settings.get("arguments")
    numbers = arguments if isinstance(arguments, tuple) else ()
    if numbers and isinstance(numbers[0], tuple):
        return [axis % rank for axis in numbers[0]]
    order = list(range(rank))
    first, second = (int(axis) % rank for axis in numbers[:2]) if len(numbers) > 1 else (0, rank - 1)
    order[first], order[second] = order[second], order[first]
    return order
