"""Questions that several rules put to a recorded step: what cuts gradient, what a value passes through, what it was made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tensan.core.events.things import Operation, Value
from tensan.core.operations import CUTTING, ancestors
from tensan.core.sites import Place, Site


def cuts(operation: Operation) -> bool:
    """Tells whether gradient reaches an operation's result but none of its inputs.

    A detached result that is declared a leaf afterwards requires gradient again, so the name counts too.
    """
    if not any(value.requires_grad for value in operation.inputs):
        return False
    return operation.name in CUTTING or not any(value.requires_grad for value in operation.outputs)


def cuts_behind(operations: Sequence[Operation], value: Value) -> Iterator[Operation]:
    """Yields, nearest first, the operations that cut gradient on the way to a value: also where the index of a maximum is taken along."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        value = waiting.pop(0)
        if value.producer < 0:
            continue
        operation = operations[value.producer]
        # Beside the index such an operation gives values, which do have gradient: so it depends on what was taken of it.
        index_taken = "int" in value.dtype and any(each.requires_grad for each in operation.inputs)
        if operation.index in seen and not index_taken:
            continue
        if operation.index not in seen:
            waiting += operation.inputs
        seen.add(operation.index)
        if index_taken or cuts(operation):
            yield operation


def nearest_cut(operations: Sequence[Operation], start: Iterable[int]) -> Operation | None:
    """Walks back from operations and returns the first one that cuts."""
    return next((operations[index] for index in ancestors(operations, start) if cuts(operations[index])), None)


def downstream(operations: Sequence[Operation], starts: Iterable[int]) -> list[int]:
    """Returns the operations that use the given ones, directly or not, in the order they ran; the given ones included."""
    reached = set(starts)
    for operation in operations:
        if any(value.producer in reached for value in operation.inputs):
            reached.add(operation.index)
    return sorted(reached)


def reaches(operations: Sequence[Operation], start: int, goal: int, *, through: frozenset[str]) -> bool:
    """Tells whether a result gets to another operation with nothing but the named operations after it."""
    reached = {start}
    for operation in operations[start + 1 : goal + 1]:
        if operation.name in through and any(value.producer in reached for value in operation.inputs):
            reached.add(operation.index)
    return goal in reached


def parameters_behind(operations: Sequence[Operation], index: int) -> frozenset[str]:
    """Returns the ids of the parameters that an operation's result was computed from with gradient."""
    return frozenset(
        value.subject
        for ancestor in ancestors(operations, [index])
        for value in operations[ancestor].inputs
        if value.subject is not None and value.subject.startswith("parameter") and value.requires_grad
    )


def line_of(place: Place) -> tuple[str, int] | None:
    """Returns file and line of a place, to group by."""
    if place is None:
        return None
    return place.key if isinstance(place, Site) else (place.path, place.line)
