"""Looks whether what an optimizer remembers between its steps is finite, before it uses it."""

from __future__ import annotations

import math
from typing import Any

import torch

from tensan.adapters.torch.finite import broken

#: Values that are looked through in a step. Where there are more, they take turns, but for tensors that were written since the last step.
MOST_VALUES = 1 << 20


class Moments:
    """The tensors of one optimizer's state that are shaped like their parameters."""

    def __init__(self) -> None:
        self._entries: list[tuple[Any, dict[Any, Any], Any]] = []
        self._counted = -1
        self._versions: dict[tuple[int, Any], tuple[int, int]] = {}
        self._meant: set[tuple[int, Any]] = set()
        self._seen: set[tuple[int, Any]] = set()
        self._turn = 0

    def forget(self) -> None:
        """The state has been exchanged."""
        self._counted = -1

    def broken(self, optimizer: Any) -> list[tuple[Any, Any]]:
        """Returns the parameters, and the names of what is kept of them, where that is not finite."""
        state = optimizer.state
        if len(state) != self._counted or any(state.get(tensor) is not held for tensor, held, _ in self._entries[:1]):
            self._list(optimizer)
        looked = [(tensor, key, held.get(key)) for tensor, held, key in self._due()]
        found = {id(moment) for moment in broken(moment for _, _, moment in looked)}
        hits = [(tensor, key) for tensor, key, moment in looked if id(moment) in found]
        if not type(optimizer).__module__.startswith("torch.optim"):
            # One of the program's own may begin with an infinity on purpose, such as the least that it has met.
            self._meant |= {(id(tensor), key) for tensor, key in hits if (id(tensor), key) not in self._seen}
            self._seen |= {(id(tensor), key) for tensor, key, _ in looked}
            hits = [(tensor, key) for tensor, key in hits if (id(tensor), key) not in self._meant]
        return hits

    def all(self, optimizer: Any) -> list[tuple[Any, Any]]:
        """Returns every moment, with its name."""
        self._list(optimizer)
        return [(held[key], key) for _, held, key in self._entries]

    def stepped(self) -> None:
        """The optimizer has written to its state: what others write from now on is looked at in any case."""
        if self._is_large():
            self._versions = {(id(tensor), key): _version(held.get(key)) for tensor, held, key in self._entries}

    def _list(self, optimizer: Any) -> None:
        self._counted = len(optimizer.state)
        self._entries = [
            (tensor, held, key)
            for tensor, held in optimizer.state.items()
            if isinstance(tensor, torch.Tensor) and isinstance(held, dict)
            for key, value in held.items()
            if isinstance(value, torch.Tensor) and value.shape == tensor.shape and not value.is_sparse
        ]
        self._size = sum(tensor.numel() for tensor, _, _ in self._entries)

    _size = 0

    def _is_large(self) -> bool:
        return self._size > MOST_VALUES

    def _due(self) -> list[tuple[Any, dict[Any, Any], Any]]:
        if not self._is_large():
            return self._entries
        count = len(self._entries)
        share = max(1, math.ceil(count * MOST_VALUES / self._size))
        turn = {(self._turn + offset) % count for offset in range(share)}
        self._turn = (self._turn + share) % count
        return [
            entry
            for number, entry in enumerate(self._entries)
            if number in turn or self._versions.get((id(entry[0]), entry[2])) != _version(entry[1].get(entry[2]))
        ]


def _version(tensor: Any) -> tuple[int, int]:
    return (id(tensor), tensor._version) if isinstance(tensor, torch.Tensor) and not tensor.is_inference() else (id(tensor), -1)
