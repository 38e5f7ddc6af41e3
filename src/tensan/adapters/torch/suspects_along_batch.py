"""Finds layers that most likely take the batch for their sequence, by shapes alone: what a replay then proves."""

from __future__ import annotations

from collections.abc import Sequence

from tensan.adapters.torch.sequence_layers import entering, sequence_layers
from tensan.core.operations import LOSS, Operation

_ALONG_A_SEQUENCE = frozenset({"RNN", "LSTM", "GRU", "MultiheadAttention"})


def recurs_over_samples(operations: Sequence[Operation]) -> bool:
    """Tells whether a layer that wants the sequence first gets as many entries there as the targets are, and other many behind it."""
    batches = {operation.inputs[1].shape[0] for operation in operations if operation.name in LOSS and _has_targets(operation)}
    layers = sequence_layers(operations, _ALONG_A_SEQUENCE).items()
    given = [shape for layer, members in layers if not layer.batch_first for shape in entering(operations, members)]
    return any(shape[0] in batches and shape[1] not in batches for shape in given)


def _has_targets(operation: Operation) -> bool:
    return len(operation.inputs) > 1 and bool(operation.inputs[1].shape)
