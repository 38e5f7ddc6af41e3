"""Remembers rows that a model was trained on, by their values, and knows them again where the model is evaluated.

So it is seen also where the program cuts its batches by hand, or where a dataset of its own delivers the same sample twice. Rows are
compared only where values do not repeat by nature, as counts, classes and short sequences do.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tensan.adapters.torch.bindings import scopes, tensors
from tensan.adapters.torch.row_hashes import hashes, spread
from tensan.adapters.torch.supervision import is_plain
from tensan.adapters.torch.trace import key_of, storage_of
from tensan.core.events.evaluation import RowsKnown
from tensan.core.sites import Site, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Rows that are remembered for a model, rows of one batch that are looked at, and values of each: whole numbers tell less.
MOST_ROWS = 20_000
MOST_OF_BATCH = 512
MOST_FLOATS = 32
MOST_WHOLE = 128
LEAST_FLOATS = 4
LEAST_WHOLE = 16
#: Rows that must be known again, and how often a line is told.
LEAST_KNOWN = 5
MOST_TOLD = 6


class Met(NamedTuple):
    """How many rows of an input a model was seen to train on, of how many that were compared with how many.

    Attributes:
        num_known: rows that are among those of training; num_rows: rows that were compared; num_trained: rows of training that were seen.
    """

    num_known: int
    num_rows: int
    num_trained: int


class RowMemory:
    """Rows by model."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._rows: weakref.WeakKeyDictionary[Any, set[int]] = weakref.WeakKeyDictionary()
        self._whole: weakref.WeakKeyDictionary[Any, set[Any]] = weakref.WeakKeyDictionary()
        self._told: dict[object, int] = {}
        self._compared: dict[object, list[int]] = {}

    def forget(self) -> None:
        """A state was loaded, or an optimizer built: what was learned before may be undone."""
        self._rows.clear()

    def learned_from(self, module: Any, inputs: Any) -> None:
        """A model is about to run for training."""
        if not module.training:
            return
        known = self._rows.setdefault(module, set())
        if len(known) < MOST_ROWS and self.recorder.watch.wants(RowsKnown):
            tensor = next((item for item in inputs if isinstance(item, torch.Tensor)), None)
            if tensor is not None and is_plain(tensor):
                self._whole.setdefault(module, set()).add(key_of(tensor))
                known.update(_rows(tensor))

    def met_again(self, module: Any, tensor: Any) -> Met | None:
        """Returns how many rows of an input the model was seen to train on; None where that cannot be told."""
        known = self._rows.get(module)
        rows = _rows(tensor) if known else []
        return Met(sum(row in known for row in rows), len(rows), len(known)) if known and rows else None

    def evaluated(self, module: Any, inputs: Any) -> None:
        """A model is about to run with gradients off."""
        known = self._rows.get(module)
        tensor = next((item for item in inputs if isinstance(item, torch.Tensor)), None)
        if not known or tensor is None or not is_plain(tensor) or key_of(tensor) in self._whole.get(module, ()):
            return  # the very same input is one that holds both parts, as a graph does
        site = here(3)
        line = site.key if isinstance(site, Site) else None
        if self._told.get(line, 0) >= MOST_TOLD:
            return
        rows = _rows(tensor)
        again = sum(row in known for row in rows)
        compared = self._compared.setdefault(line, [0, 0])
        compared[0] += again
        compared[1] += len(rows)
        if again < LEAST_KNOWN:
            return
        self._told[line] = self._told.get(line, 0) + 1
        last = self.recorder.loaders.source_of(tensor)
        self.recorder.watch.emit(
            RowsKnown(
                step=self.recorder.watch.steps,
                site=site,
                module=self.recorder.inventory.module_id(module),
                loader=last.event() if last is not None else None,
                names=() if last is not None else _names(tensor),
                num_known=compared[0],
                num_rows=compared[1],
                num_trained=len(known),
            )
        )


def _rows(tensor: Any) -> list[int]:
    """Returns a hash for each row of a batch; none where rows could be equal by chance."""
    whole = not tensor.is_floating_point()
    if tensor.dim() < 2 or len(tensor) < LEAST_KNOWN or tensor.dtype in (torch.bool, torch.bfloat16) or tensor.is_complex():
        return []
    flat = tensor.detach()[:MOST_OF_BATCH].reshape(min(len(tensor), MOST_OF_BATCH), -1)
    if flat.shape[1] < (LEAST_WHOLE if whole else LEAST_FLOATS):
        return []
    most = MOST_WHOLE if whole else MOST_FLOATS
    flat = spread(flat, most=most)
    sample = flat[:32].reshape(-1)
    if not whole and len(sample.unique()) < 0.5 * len(sample):
        return []
    rows = hashes(flat, most=most)
    return rows if len(set(rows)) >= 0.95 * len(rows) else []


def _names(tensor: Any) -> tuple[str, ...]:
    """Returns what the program calls a tensor, or the smallest one that it is cut from, in all running functions."""
    key, storage = key_of(tensor), storage_of(tensor)
    with scopes() as running:
        for scope in running:
            holding = [
                other for _, other in tensors([scope]) if key_of(other) == key or (storage_of(other) == storage and other is not tensor)
            ]
            containing = [other for other in holding if _begin(other) <= _begin(tensor) and _end(other) >= _end(tensor)]
            if containing:
                held = key_of(min(containing, key=lambda other: other.numel()))
                return tuple(dict.fromkeys(path.name for path, other in tensors(running) if key_of(other) == held))[:6]
    return ()


def _begin(tensor: Any) -> int:
    return int(tensor.storage_offset())


def _end(tensor: Any) -> int:
    return _begin(tensor) + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
