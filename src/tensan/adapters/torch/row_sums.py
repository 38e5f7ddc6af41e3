"""Looks at rows that are read by an index, added to and written back by the same index: is all there that was added?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from tensan.core.events.things import Operation, Value
from tensan.core.operations import through_layout

#: Values that are looked at in one place, and places of one trace.
MOST_VALUES = 1 << 22
MOST_LOOKS = 64
_READ, _WRITTEN = "aten::index", "aten::index_put_"
#: Operations that are looked at.
ROWS = frozenset({_READ, _WRITTEN})


class RowSums:
    """Remembers what a trace read by index, until it is written back.

    Args:
        key_of: tells a tensor from others.
    """

    def __init__(self, key_of: Callable[[Any], tuple[Any, ...]]) -> None:
        self._key_of = key_of
        self._read: dict[int, tuple[Any, ...]] = {}
        self._looks = 0

    def look(
        self, settings: dict[str, object], operations: Sequence[Operation], aten: str, arguments: tuple[Any, ...], inputs: tuple[Value, ...]
    ) -> None:
        """Hears of an operation that has run and is not yet among the recorded ones, and adds to its settings what there is to tell.

        `read_by` is the operation that read the rows. `rows` holds how many were written, how many different ones those are, how many of
        these have lost something that was added (along the axis with the fewest), and how many values were lost.
        """
        if aten == _READ and len(arguments) == 2:
            self._read[len(operations)] = self._place(arguments)
        elif aten == _WRITTEN and len(arguments) >= 3 and self._read and not (len(arguments) > 3 and arguments[3]):
            reader = self._reader(operations, arguments, inputs)
            if reader >= 0 and self._looks < MOST_LOOKS and _is_readable(arguments[0]) and _is_readable(arguments[2]):
                self._looks += 1
                found = _lost(*arguments[:3])
                if found is not None:
                    settings |= {"read_by": reader, "rows": found}

    def _place(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        table, indices = arguments[:2]
        return (self._key_of(table), *[None if index is None else self._key_of(index) for index in indices])

    def _reader(self, operations: Sequence[Operation], arguments: tuple[Any, ...], inputs: tuple[Value, ...]) -> int:
        """Returns the operation that read the rows which are now written with something added to them or taken from them, or -1."""
        index = through_layout(operations, inputs[-1].producer)
        changed = operations[index] if index >= 0 else None
        if changed is None or changed.name not in ("add", "sub") or len(changed.inputs) != 2:
            return -1
        place = self._place(arguments)
        for value in changed.inputs[: 2 if changed.name == "add" else 1]:
            reader = through_layout(operations, value.producer)
            if self._read.get(reader) == place:
                return reader
        return -1


def _is_readable(tensor: Any) -> bool:
    return type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.layout is torch.strided and 0 < tensor.numel() <= MOST_VALUES


def _lost(table: Any, indices: Sequence[Any], values: Any) -> tuple[int, int, int, int] | None:
    """Reads the rows again that were just written: a row that does not hold what was written there was written over by another one."""
    given = [index for index in indices if index is not None]
    before = next((place for place, index in enumerate(indices) if index is not None), 0)
    numbers = all(type(index) is torch.Tensor and index.dtype is torch.int64 and index.device == table.device for index in given)
    numbers = numbers and all(index.numel() for index in given)
    if not given or not numbers or any(index is None for index in indices[before : before + len(given)]):
        return None  # masks hold every row once; indices apart from each other are laid out otherwise
    places = torch.stack([index.reshape(-1) for index in torch.broadcast_tensors(*given)])
    rows = places.shape[1]
    now = torch.ops.aten.index.Tensor(table, indices)
    differs = (now != values) & (values == values)  # what is not a number differs from itself
    lost = int(differs.sum())
    if not lost:
        return rows, rows, 0, 0
    short = places[:, differs.reshape(math.prod(table.shape[:before]), rows, -1).any(2).any(0)]
    crowded = [len(short[axis].unique()) for axis in range(len(places)) if len(places[axis].unique()) > 1]
    return rows, places.unique(dim=1).shape[1], min(crowded, default=0), lost
