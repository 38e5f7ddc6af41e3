"""Which rows a loader's batches were made of: the indices that it draws, in the order in which batches come out."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

from tensan.adapters.torch.live import live
from tensan.adapters.torch.patching import patch


class Drawn:
    """The indices that were drawn for batches which have not been handed out yet, and the last batch with its own."""

    def __init__(self) -> None:
        self._waiting: weakref.WeakKeyDictionary[Any, deque[Any]] = weakref.WeakKeyDictionary()
        #: Held, and not weakly: a loop that moves its batch to a device lets go of what was delivered.
        self.batch: Any = None
        self.indices: list[int] | None = None

    def drew(self, iterator: Any, indices: Any) -> None:
        """A loader has drawn the indices of a batch, which may be handed out much later."""
        self._waiting.setdefault(iterator, deque()).append(indices)

    def delivered(self, iterator: Any, batch: Any) -> None:
        """A batch was handed to the program."""
        waiting = self._waiting.get(iterator)
        indices = waiting.popleft() if waiting else None
        in_order = getattr(iterator, "_in_order", True)
        known = in_order and isinstance(indices, list) and all(isinstance(index, int) for index in indices)
        self.batch, self.indices = batch, list(indices) if known and indices else None


def install() -> None:
    """Hears of what loaders draw: only the call tells, since workers are sent the indices ahead."""
    from torch.utils.data import dataloader

    def drawing(original: Callable[..., Any]) -> Callable[..., Any]:
        def _next_index(self: Any) -> Any:
            indices = original(self)
            recorder = live.recorder
            if recorder is not None and recorder.guard is not None:
                recorder.shielded(recorder.guard.drawn.drew, self, indices)
            return indices

        return _next_index

    patch(dataloader._BaseDataLoaderIter, "_next_index", drawing)
