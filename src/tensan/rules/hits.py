"""Where an evaluation compares the largest outputs with labels, and whether all of the hits are counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensan.core.events.things import Operation
from tensan.core.operations import through_layout

#: What becomes of hits that are counted, all of them.
_COUNTING = frozenset({"sum", "mean", "cast", "cast_integer", "item", "copy", "detach", "alias", "view", "new"})
_DETACHED = frozenset({"detach"})


def hits_in(operations: Sequence[Operation]) -> Iterator[Operation]:
    """Yields the operations of an evaluation that compare the largest outputs with labels of a loader."""
    for operation in operations:
        if operation.settings.get("aten") != "aten::eq" or len(operation.inputs) != 2:
            continue
        told = [value for value in operation.inputs if value.subject != "batch"]
        index = through_layout(operations, told[0].producer, also=_DETACHED) if len(told) == 1 else -1
        if index >= 0 and operations[index].name in ("argmax", "max"):
            yield operation


def are_counted(operations: Sequence[Operation], hits: Operation) -> bool:
    """Tells whether all hits are counted, and no label is left out by a comparison with a number."""
    if any(each.name == "compare" and len(each.inputs) == 1 and each.inputs[0].subject == "batch" for each in operations):
        return False
    waiting, seen = [hits.index], {hits.index}
    while waiting:
        at = waiting.pop()
        is_count = bool(operations[at].outputs) and operations[at].outputs[0].shape == ()
        for user in operations[at + 1 :] if not is_count else ():
            if user.index not in seen and any(value.producer == at for value in user.inputs):
                if user.name not in _COUNTING:
                    return False
                seen.add(user.index)
                waiting.append(user.index)
    return True
