"""Describes what each part of a joined dataset delivers: data from several files or folders must come in one unit.

The batch is looked at as the loader makes it, in this process or in a worker, so that each part's own preparation has been done.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from itertools import islice
from typing import Any

import torch

from tensan.adapters.torch import stored
from tensan.adapters.torch.live import live
from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.supervision import is_plain
from tensan.core.events.data import SourceSeen

#: Batches of each part that are looked at, values of one, and classes that are told.
MOST_BATCHES = 8
MOST_VALUES = 1 << 16
MOST_CLASSES = 256
MOST_TENSORS = 8

Tell = Callable[[SourceSeen], None]


class Sources:
    """How much of each part was looked at, in one process.

    Args:
        tell: takes what was seen.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._looks: Counter[tuple[str, int]] = Counter()

    def fetched(self, loader: str, dataset: Any, indices: Any, data: Any, step: int = 0) -> None:
        """A batch was made of some items of a dataset."""
        if not isinstance(indices, list) or not indices or type(indices[0]) is not int:
            return
        joined, indices = stored.underlying(dataset, indices)
        if type(joined) is not torch.utils.data.ConcatDataset:
            return
        of = [bisect_right(joined.cumulative_sizes, index) for index in indices]
        tensors = [tensor for tensor in islice(tensors_in(data, most=MOST_TENSORS), MOST_TENSORS) if is_plain(tensor)]
        rowed = [tensor for tensor in tensors if tensor.dim() and len(tensor) == len(indices) and not tensor.is_complex()]
        inputs = next((tensor for tensor in rowed if tensor.dim() >= 2 and tensor.numel()), None)
        labels = next((tensor for tensor in rowed if tensor.dim() == 1 and tensor.dtype is torch.int64), None)
        if inputs is None:
            return
        for source in sorted(set(of)):
            if self._looks[loader, source] < MOST_BATCHES and source < len(joined.datasets):
                self._looks[loader, source] += 1
                rows = [row for row, part in enumerate(of) if part == source]
                of_rows = inputs.detach()[rows].reshape(len(rows), -1)
                broken = int((~of_rows.isfinite()).any(1).sum())
                values = of_rows.reshape(-1)[:MOST_VALUES].double()
                values = values[values.isfinite()]
                classes = labels[rows].unique().tolist() if labels is not None else []
                if len(values):
                    self._tell(
                        SourceSeen(
                            step=step,
                            loader=loader,
                            source=source,
                            num_sources=len(joined.datasets),
                            name=_name_of(joined.datasets[source]),
                            num_rows=len(rows),
                            num_broken=broken,
                            minimum=float(values.min()),
                            maximum=float(values.max()),
                            whole=bool((values == values.round()).all()),
                            classes=tuple(classes) if len(classes) <= MOST_CLASSES else (),
                        )
                    )


def _name_of(part: Any) -> str:
    """Returns the name of the file or folder that a part was read from, where it keeps one."""
    part, _ = stored.underlying(part, [])
    kept = [value for value in getattr(part, "__dict__", {}).values() if isinstance(value, (str, os.PathLike))]
    return next((os.path.basename(os.fspath(value)) for value in kept if os.path.exists(value)), "")


_worker: list[tuple[Sources, str]] = []


def begin_in_worker(loader: str) -> None:
    """A worker process is ready."""
    parent = live.worker
    _worker[:] = [(Sources(parent.watch.send), loader)] if parent is not None and parent.watch.wants(SourceSeen) else []


def fetched_in_worker(dataset: Any, indices: Any, data: Any) -> None:
    """In a worker process, a batch was made."""
    for sources, loader in _worker:
        sources.fetched(loader, dataset, indices, data)
