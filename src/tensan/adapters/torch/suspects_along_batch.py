"""Finds layers that most likely take the batch for their sequence, by shapes alone: what a replay then proves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensan.core.events import Layer, Shape
from tensan.core.operations import LOSS, Operation

_ALONG_A_SEQUENCE = frozenset({"RNN", "LSTM", "GRU", "MultiheadAttention"})


def recurs_over_samples(operations: Sequence[Operation]) -> bool:
    """Tells whether a layer that wants the sequence first gets as many entries there as the targets are, and other many behind it."""
    batches = {operation.inputs[1].shape[0] for operation in operations if operation.name in LOSS and _has_targets(operation)}
    return any(shape[0] in batches and shape[1] not in batches for shape in _entering(operations))


def _has_targets(operation: Operation) -> bool:
    return len(operation.inputs) > 1 and bool(operation.inputs[1].shape)


def _entering(operations: Sequence[Operation]) -> Iterator[Shape]:
    """Yields the shapes of what each layer that wants the sequence first was given."""
    inside: dict[str, set[int]] = {}
    for operation in operations:
        layer = operation.settings.get("layer")
        if not isinstance(layer, Layer) or layer.kind not in _ALONG_A_SEQUENCE or layer.batch_first is not False:
            continue
        made = inside.setdefault(layer.id, set())
        made.add(operation.index)
        for value in operation.inputs:
            if len(value.shape) == 3 and value.producer not in made and not _is_parameter(value.subject):
                yield value.shape


def _is_parameter(subject: str | None) -> bool:
    return subject is not None and subject.startswith("parameter")
