"""What rules about metrics share: which values were predicted, and which were given."""

from __future__ import annotations

from collections.abc import Sequence

from tensan.core.events.things import Operation, Value
from tensan.core.operations import REDUCTION, ancestors


def predicted(operations: Sequence[Operation], *, by: str) -> list[bool]:
    """Tells of each operation whether its result was computed from a subject: `output` or `parameter`."""
    found: list[bool] = []
    for operation in operations:
        found.append(any(is_predicted(value, found, by=by) for value in operation.inputs))
    return found


def is_predicted(value: Value, made: Sequence[bool], *, by: str) -> bool:
    """Tells it of a value, by what is known of the operations before."""
    return (value.subject or "").startswith(by) or (value.producer >= 0 and made[value.producer])


def is_made_up(operations: Sequence[Operation], value: Value) -> bool:
    """Tells whether a value was made of nothing that the program has read: a range, zeros, a list of thresholds."""
    above = list(ancestors(operations, [value.producer]))
    news = any(operations[index].name == "new" for index in above)
    return news and not any(item.producer < 0 for index in above for item in operations[index].inputs)


def is_reduced(operations: Sequence[Operation], index: int) -> bool:
    """Tells whether a result is later summed or averaged."""
    within = {index}
    for operation in operations[index + 1 :]:
        if any(value.producer in within for value in operation.inputs):
            if operation.name in REDUCTION:
                return True
            within.add(operation.index)
    return False
