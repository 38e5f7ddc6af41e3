"""Knows which loaders deliver the same inputs with different targets: one of them is then a control, as in a permutation test."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from tensan.core.events.data import PairedBothWays

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Rows of an array that are compared, rows that are kept to be tested, columns of them, and loaders that are looked at.
_ROWS = 64
_KEPT = 768
_COLUMNS = 48
_MOST_LOADERS = 16
#: Standard deviations from which on there is no doubt that inputs tell of targets.
_CERTAIN = 12.0


class Controls:
    """Remembers a digest of what each loader delivers.

    Args:
        strength: tells by how many standard deviations the rows of two arrays tell more about each other than random pairs do.
    """

    def __init__(self, recorder: Recorder, strength: Callable[[Any, Any], float]) -> None:
        self.recorder = recorder
        self._strength = strength
        self._seen: dict[int, dict[int, list[str]]] = {}
        #: Samples of what was delivered: tested only once the same inputs come with other targets, which is rare.
        self._kept: dict[int, list[tuple[Any, Any]]] = {}
        self._paired: set[int] = set()
        self._looks = 0

    def built(self, loader: str, inputs: Any, targets: Any) -> None:
        """A loader of two arrays was made, or the program cuts batches out of two itself and names no loader."""
        if self._looks >= _MOST_LOADERS or not self.recorder.watch.wants(PairedBothWays):
            return
        given, wanted = _digest(inputs), _digest(targets)
        known = self._seen.setdefault(given, {})
        if loader in known.get(wanted, ()):
            return
        self._looks += 1
        if wanted not in known and given not in self._paired:
            self._kept.setdefault(given, []).append((_sample(inputs), _sample(targets)))
        known.setdefault(wanted, []).append(loader)
        if len(known) > 1:
            while given not in self._paired and self._kept.get(given):
                if self._strength(*self._kept[given].pop(0)) > _CERTAIN:
                    self._paired.add(given)
        if len(known) > 1 and given in self._paired:
            several = tuple(each for loaders in known.values() for each in loaders)
            self.recorder.watch.emit(PairedBothWays(step=self.recorder.watch.steps, loaders=several))


def _sample(array: Any, most: int = _KEPT) -> Any:
    """Returns a copy of some rows and columns, the same ones of arrays of one length."""
    rows = torch.linspace(0, len(array) - 1, min(most, len(array))).long()
    flat = array.detach()[rows.to(array.device)].reshape(len(rows), -1)
    return flat[:, torch.linspace(0, flat.shape[1] - 1, min(_COLUMNS, flat.shape[1])).long().to(array.device)]


def _digest(array: Any) -> int:
    return hash((tuple(array.shape), tuple(_sample(array, _ROWS).double().reshape(-1).tolist())))
