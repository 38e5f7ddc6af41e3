"""One recorded step as probes know it: its tape, what the model was given and gave back, and the sequences among it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.inventory import dtype_name
from tensan.adapters.torch.tape import Tape, key_in_tape
from tensan.core.events.recorded import Given, Tokens

if TYPE_CHECKING:
    from tensan.adapters.torch.trace import Trace

#: Sequences of more elements are not compared with their targets.
MOST_ELEMENTS = 1 << 20
#: Share of the targets that must be the input one step later; share that may equal the input itself.
SHIFTED, SAME = 0.9, 0.5
#: Rows that must end in filler, and cells of it, before it is called padding.
MOST_PRESENT = 20_000
PADDED_ROWS, LEAST_CELLS = 0.25, 4


class Recording:
    """A step that can be played again.

    Args:
        trace: its operations.
        loss: what was differentiated.
        handed: tensors that the model was given, each with the axis of its samples.
        outputs: tensors that the model returned.
        batch: number of samples, 0 where that cannot be told.
        forward_end: index of the first operation after the model's forward.
    """

    def __init__(
        self, *, trace: Trace, loss: Any, handed: list[tuple[Any, int | None, bool]], outputs: list[Any], batch: int, forward_end: int
    ) -> None:
        self.trace, self.loss, self.batch, self.forward_end = trace, loss, batch, forward_end
        self.tape: Tape = trace.tape
        self.handed = [(key_in_tape(tensor), tensor, axis, independent) for tensor, axis, independent in handed]
        self.outputs = [(key_in_tape(tensor), tensor, trace.producer_of(tensor)) for tensor in outputs]
        self.cells: dict[int, Any] = {}
        self.rows: dict[int, tuple[Any, Any]] = {}
        self.faithful: bool | None = None

    def given(self) -> tuple[Given, ...]:
        """Returns what the model was given, as events speak of it."""
        return tuple(
            Given(subject=f"given:{number}", shape=key[2], dtype=dtype_name(tensor), axis=axis, independent=independent)
            for number, (key, tensor, axis, independent) in enumerate(self.handed)
        )

    def tokens(self) -> tuple[Tokens, ...]:
        """Returns the sequences that are looked up, and how they are related to the targets."""
        return tuple(self._tokens())

    def _tokens(self) -> Iterator[Tokens]:
        targets = self.tape.taken.get("nll_loss", [])
        for index, ids in self.tape.taken.get("embedding", []):
            if ids.dim() != 2 or min(ids.shape) < 2 or ids.numel() > MOST_ELEMENTS:
                continue
            shift = 0
            time_first = False
            for where, target in targets:
                found = _shift(ids, target, _ignored(self.trace.operations[where].settings))
                if found is not None:
                    shift, time_first, rows = found
                    self.rows[index] = where, rows
                    break
            grid = ids.t() if time_first else ids
            cells, filler = padding_of(grid)
            if filler is None and not time_first and not shift and ids.shape[1] == self.batch != ids.shape[0]:
                cells, filler = padding_of(ids.t())
                grid, time_first = ids.t(), True
            self.cells[index] = cells, time_first
            if shift and not self.batch:  # a batch of windows that were cut by hand: the sequence itself tells its axes
                self.batch = grid.shape[0]
                self.handed = [
                    (key, tensor, int(time_first), True) if tensor.shape == ids.shape else (key, tensor, None, False)
                    for key, tensor, _, _ in self.handed
                ]
            marked = filler is not None and any(_marks(tensor, grid, cells) for _, tensor, _, _ in self.handed)
            present = grid.unique() if filler is not None else grid[:0]
            yield Tokens(
                operation=index,
                length=grid.shape[1],
                batch=grid.shape[0],
                shift=shift,
                padding=int(cells.sum()) if filler is not None else 0,
                rows=int(cells.any(1).sum()) if filler is not None else 0,
                filler=filler,
                marked=marked,
                present=frozenset(present.tolist()) if present.numel() <= MOST_PRESENT else frozenset(),
            )

    def discarded(self) -> tuple[int, ...]:
        """Returns the operations in the model whose results no operation has used and nobody holds."""
        used = {value.producer for operation in self.trace.operations for value in operation.inputs}
        return tuple(
            operation.index
            for operation in self.trace.operations[: self.forward_end]
            if operation.index not in used
            and not operation.settings.get("writes")
            and operation.index < len(self.tape.entries)
            and self.trace.is_gone(operation, self.tape.entries[operation.index].outputs)
        )


def _ignored(settings: Any) -> int:
    numbers = [item for item in settings.get("arguments", ()) if isinstance(item, int) and not isinstance(item, bool)]
    return numbers[-1] if numbers else -100


def _shift(ids: Any, target: Any, ignored: int) -> tuple[int, bool, Any] | None:
    """Finds out whether targets are the sequence itself some steps later.

    Returns:
        By how many steps, whether positions lie along the first axis, and for each target its position, -1 where it does not count.
    """
    shape = target.shape
    if target.dim() == 3 and target.shape[1] == 1:
        target = target.squeeze(1)
    if target.dim() not in (1, 2) or target.is_floating_point():
        return None
    for time_first in (False, True):
        grid = ids.t() if time_first else ids
        batch, length = grid.shape
        width = target.numel() // batch
        if width * batch != target.numel() or not length - 2 <= width <= length or width < 3:
            continue
        positions = torch.arange(width, device=target.device)
        layouts = []
        if target.dim() == 1 or target.shape[0] == batch:
            layouts.append((target.reshape(batch, width), positions.expand(batch, width)))
        if target.dim() == 1 or target.shape[1] == batch:
            layouts.append((target.reshape(width, batch).t(), positions[:, None].expand(width, batch)))
        for wanted, place in layouts:
            for shift in (1, 2):
                span = min(width, length - shift)
                valid = wanted[:, :span] != ignored
                count = int(valid.sum())
                later = int(((wanted[:, :span] == grid[:, shift : shift + span]) & valid).sum())
                same = int(((wanted[:, :span] == grid[:, :span]) & valid).sum())
                if count >= 8 and later >= SHIFTED * count and same <= SAME * count:
                    return shift, time_first, torch.where(target == ignored, -1, place.reshape(target.shape)).reshape(shape)
    return None


def _marks(tensor: Any, grid: Any, cells: Any) -> bool:
    """Tells whether something that the model was given says which cells are padding: a mask, or the lengths of the rows."""
    if tensor.dim() == 1:
        return tensor.shape[0] == len(cells) and not tensor.is_floating_point() and bool((tensor == (~cells).sum(1)).all())
    if tensor.dim() != 2:
        return False
    for mask in (tensor, tensor.t()):
        if mask.shape == grid.shape and bool(((mask == 0) | (mask == 1)).all()):
            return bool((mask.bool() == cells).all()) or bool((mask.bool() == ~cells).all())
    return False


def padding_of(grid: Any) -> tuple[Any, int | None]:
    """Finds filler at the ends, or at the beginnings, of rows of tokens: one id that occurs nowhere else."""
    for backwards in (False, True):
        rows = grid.flip(1) if backwards else grid
        filler = int(rows[:, -1].mode().values)
        is_filler = rows == filler
        cells = is_filler.flip(1).cumprod(1).flip(1).bool()
        padded = cells.any(1)
        enough = int(padded.sum()) >= max(2, PADDED_ROWS * len(rows)) and int(cells.sum()) >= LEAST_CELLS
        if not enough or bool((is_filler & ~cells).any()) or bool(cells.all(1).any()) or len(cells.sum(1).unique()) < 3:
            continue
        return (cells.flip(1) if backwards else cells), filler
    return torch.zeros_like(grid, dtype=torch.bool), None
