"""The layers of a recorded step that work along a sequence, and what each of them was given."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tensan.core.events.recorded import Layer
from tensan.core.events.things import Operation, Shape


def sequence_layers(operations: Iterable[Operation], kinds: Collection[str]) -> dict[Layer, set[int]]:
    """Returns the layers of some kinds that have an order of batch and time, each with its operations."""
    found: dict[Layer, set[int]] = {}
    for operation in operations:
        layer = operation.settings.get("layer")
        if isinstance(layer, Layer) and layer.kind in kinds and layer.batch_first is not None:
            found.setdefault(layer, set()).add(operation.index)
    return found


def entering(operations: Sequence[Operation], members: set[int]) -> list[Shape]:
    """Returns the shapes of the sequences that come to a layer from outside; its weights and states of other ranks are none."""
    return [
        value.shape
        for index in sorted(members)
        for value in operations[index].inputs
        if len(value.shape) == 3 and value.producer not in members and not (value.subject or "").startswith("parameter")
    ]
