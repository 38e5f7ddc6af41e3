"""Which rows a loader's batches were made of, in the order in which they come out, and how far it is in its epoch."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

from tensan.adapters.torch.live import live
from tensan.adapters.torch.patching import patch
from tensan.adapters.torch.random_states import random_states


class _Position:
    """How far a loader is in its epoch.

    Attributes:
        before: what its order was drawn from.
        batches: handed out since.
        trains: whether a step was taken with one of them.
    """

    def __init__(self, before: dict[str, Any] | None, epoch: int) -> None:
        self.before, self.epoch, self.batches, self.trains = before, epoch, 0, False


class Drawn:
    """The indices that were drawn for batches which have not been handed out yet, and the last batch with its own."""

    def __init__(self) -> None:
        self._waiting: weakref.WeakKeyDictionary[Any, deque[Any]] = weakref.WeakKeyDictionary()
        #: Held, and not weakly: a loop that moves its batch to a device lets go of what was delivered.
        self.batch: Any = None
        self.indices: list[int] | None = None
        self._positions: weakref.WeakKeyDictionary[Any, _Position] = weakref.WeakKeyDictionary()
        self._by_iterator: weakref.WeakKeyDictionary[Any, _Position] = weakref.WeakKeyDictionary()
        self._last: _Position | None = None

    def began(self, loader: Any, iterator: Any, before: dict[str, Any] | None) -> None:
        """A loader begins an epoch."""
        earlier = self._positions.get(loader)
        position = _Position(before, earlier.epoch + 1 if earlier is not None else 0)
        position.trains = earlier is not None and earlier.trains
        self._positions[loader] = self._by_iterator[iterator] = position

    def stepping(self) -> None:
        """An optimizer is about to step: the loader whose batch was handed out last is one that trains."""
        if self._last is not None:
            self._last.trains = True

    def positions(self) -> list[dict[str, Any]]:
        """Returns for each loader that trains how far it is, as plain values."""
        return [
            {"epoch": position.epoch, "batches": position.batches, **position.before}
            for position in self._positions.values()
            if position.trains and position.before is not None
        ]

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
        self._last = self._by_iterator.get(iterator)
        if self._last is not None:
            self._last.batches += 1


def position_before(loader: Any) -> dict[str, Any]:
    """Returns what the order of a loader's next epoch is drawn from: all global generators, and those of its own."""
    sampler = getattr(loader, "sampler", None)
    own = (getattr(loader, "generator", None), getattr(sampler, "generator", None))
    found: dict[str, Any] = {"random": random_states()}
    found |= {name: generator.get_state() for name, generator in zip(("loader", "sampler"), own, strict=True) if generator is not None}
    epoch = getattr(sampler, "epoch", None)
    return found | ({"sampler_epoch": epoch} if isinstance(epoch, int) else {})


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
