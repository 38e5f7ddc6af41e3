"""Finds recurrent layers that run on over padding and are then read at the last step, where short sequences have ended long before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.recording import padding_of
from tensan.adapters.torch.sequence_layers import entering, sequence_layers
from tensan.adapters.torch.supervision import is_plain
from tensan.adapters.torch.trace import Trace
from tensan.core.events.layers import PaddedEndRead
from tensan.core.events.recorded import Layer
from tensan.core.events.things import Operation, Shape
from tensan.core.operations import ELEMENTWISE, LAYOUT, POINTWISE
from tensan.core.sites import Place

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

_RECURRENT = frozenset({"RNN", "GRU", "LSTM"})
#: Leave each value at its place in the sequence.
_IN_PLACE = LAYOUT | ELEMENTWISE | POINTWISE | {"matmul", "embedding", "dropout", "layer_norm", "detach", "expand", "new"}
#: On the way from what is read to the layer that predicts from it.
_TO_HEAD = LAYOUT | POINTWISE | {"dropout", "layer_norm", "batch_norm", "detach", "concatenate"}
#: Dropout is taken apart into these.
_SCALING = frozenset({"mul", "div", "new"})
_LEAST_ROWS, _LEAST_LENGTH = 8, 5
#: Values of a batch that are looked at, and layers whose input is.
MOST_VALUES = 1 << 20
MOST_LOOKS = 8


class PaddedEnds:
    """Looks at the recurrent layers of recorded steps."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded."""
        watch = self.recorder.watch
        if not watch.wants(PaddedEndRead) or self._looks >= MOST_LOOKS:
            return
        for layer, members in sequence_layers(trace.operations, _RECURRENT).items():
            given = _given(trace.operations, members)
            if given is None or layer.both_ways:
                continue
            found = _read_at_end(trace.operations, members, length=given[0] if not layer.batch_first else given[1])
            if found is None:
                continue
            self._looks += 1
            real = self._real_lengths(trace, members, given=given, time_first=not layer.batch_first)
            watch.emit(
                PaddedEndRead(
                    step=watch.steps,
                    site=found[1],
                    layer=layer,
                    what=found[0],
                    length=given[0] if not layer.batch_first else given[1],
                    lengths=tuple(real.tolist()) if real is not None else (),
                )
            )

    def _real_lengths(self, trace: Trace, members: set[int], *, given: Shape, time_first: bool) -> Any:
        """Returns how long each sequence is that a layer was given; None where that cannot be told, or none is padded at its end."""
        batch, length = (given[1], given[0]) if time_first else given[:2]
        sources = _sources(trace.operations, members)
        delivered = self.recorder.loaders.batch()
        tensors = [*trace.looked_up, *(tensor for entered in trace.entered for tensor in entered), *delivered]
        integers = [item.detach() for item in tensors if is_plain(item.detach()) and not item.is_floating_point() and item.dim() == 1]
        for tensor in tensors:
            plain = is_plain(tensor.detach()) and tensor.dim() >= 2 and tensor.numel() <= MOST_VALUES and tuple(tensor.shape) in sources
            if not plain or batch == length or tensor.dtype is torch.bool:
                continue
            grid = tensor.detach()
            if tuple(grid.shape[:2]) == (length, batch):
                grid = grid.transpose(0, 1)
            elif tuple(grid.shape[:2]) != (batch, length):
                continue
            real = _of_tokens(grid) if grid.dim() == 2 and not grid.is_floating_point() else _of_frames(grid, integers)
            if real is not None:
                return real
        return None


def _of_tokens(grid: Any) -> Any:
    cells, filler = padding_of(grid)
    return None if filler is None or not bool(cells[:, -1].any()) else (~cells).sum(1)


def _of_frames(grid: Any, integers: Sequence[Any]) -> Any:
    """Returns the lengths where numbers that came with the batch give them: from there on each row holds one and the same filler."""
    frames = grid.reshape(*grid.shape[:2], -1)
    filled = (frames == frames[:, -1:].mode(0).values).all(2)
    real = (~filled.flip(1).cumprod(1).flip(1).bool()).sum(1)
    return real if any(len(item) == len(real) and bool((item == real).all()) for item in integers) else None


def _given(operations: Sequence[Operation], members: set[int]) -> Shape | None:
    """Returns the shape of the sequences that a layer was given, where it was called once; nothing for packed ones."""
    shapes = entering(operations, members)
    distinct = set(shapes)
    long_enough = [shape for shape in distinct if max(shape[:2]) >= _LEAST_LENGTH]
    called_once = len(members) == max(members) - min(members) + 1
    return shapes[0] if called_once and len(distinct) == 1 and long_enough and 0 not in shapes[0] else None


def _sources(operations: Sequence[Operation], members: set[int]) -> set[Shape]:
    """Returns the shapes of what came from outside and keeps its places in the sequence on the way to a layer."""
    found, seen, waiting = set[Shape](), set[int](), list(members)
    while waiting:
        index = waiting.pop()
        if index in seen:
            continue
        seen.add(index)
        operation = operations[index]
        layer = operation.settings.get("layer")
        recurrent = isinstance(layer, Layer) and layer.kind in _RECURRENT
        if index not in members and not recurrent and operation.name not in _IN_PLACE:
            return set()  # turned round, say
        for value in operation.inputs:
            if value.producer >= 0:
                waiting.append(value.producer)
            elif not (value.subject or "").startswith("parameter"):
                found.add(value.shape)
    return found


def _read_at_end(operations: Sequence[Operation], members: set[int], *, length: int) -> tuple[str, Place] | None:
    """Returns what is read of a layer and where, if that is its last step or final state alone, and a linear layer predicts from it."""
    used = [
        (operation, value)
        for operation in operations[max(members) + 1 :]
        for value in operation.inputs
        if value.producer in members and operation.name != "detach"
    ]
    found: tuple[str, Place] | None = None
    for operation, value in used:
        if len(value.shape) != 3:
            return None
        if length in value.shape[:2]:
            axis = value.shape.index(length)
            if value.shape[0] == value.shape[1] or not _is_last(operation, axis, length):
                return None
            read = "the last step"
        elif value.shape[0] < _LEAST_LENGTH and (operation.name in ("squeeze", "view") or operation.settings.get("aten") == "aten::select"):
            read = "the final state"
        else:
            return None
        if not all(_predicts(end) for end in _ends(operations, operation)):
            return None
        found = found or (read, operation.site)
    return found


def _is_last(operation: Operation, axis: int, length: int) -> bool:
    return operation.settings.get("aten") == "aten::select" and operation.settings.get("arguments") in ((axis, -1), (axis, length - 1))


def _predicts(operation: Operation) -> bool:
    layer = operation.settings.get("layer")
    return operation.name == "matmul" and isinstance(layer, Layer) and layer.kind == "Linear"


def _scales(operation: Operation, reached: set[int]) -> bool:
    """Tells whether the other operand, if any, is one that nothing is learned through, as what dropout lets pass."""
    return all(value.producer in reached or not value.requires_grad for value in operation.inputs)


def _ends(operations: Sequence[Operation], start: Operation) -> Iterator[Operation]:
    """Yields the operations that first do more with a value than lay it out and work on each number alone."""
    reached = {start.index}
    for operation in operations[start.index + 1 :]:
        if any(value.producer in reached for value in operation.inputs):
            if operation.name in _TO_HEAD or (operation.name in _SCALING and _scales(operation, reached)):
                reached.add(operation.index)
            else:
                yield operation
