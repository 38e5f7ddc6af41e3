"""Tells whether a state that is loaded is an old copy of another network's, which has been trained since."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

import torch

from tensan.adapters.torch.supervision import is_plain
from tensan.core.sites import Place

#: Weights that a network is known by, and elements of one; more of what was taken of one network is forgotten.
MOST_WEIGHTS = 4
MOST_ELEMENTS = 1 << 22
MOST_TAKEN = 8

_Digest = tuple[float, ...]


class Copy(NamedTuple):
    """What another network's state was: when it was taken, and where."""

    step: int
    site: Place
    digest: _Digest


class OldCopies:
    """The states that were taken of each network, by what some of its weights were."""

    def __init__(self) -> None:
        self._taken: weakref.WeakKeyDictionary[Any, list[Copy]] = weakref.WeakKeyDictionary()

    def taken(self, module: Any, step: int, site: Place) -> None:
        """A state of a network was taken."""
        digest = _digest(tensor for _, tensor in _weights(module))
        known = self._taken.setdefault(module, [])
        if digest and all(copy.digest != digest for copy in known):
            known.append(Copy(step, site, digest))
            del known[1:-MOST_TAKEN]  # the first is what the others began as

    def in_vain(self, module: Any, state: Mapping[str, Any]) -> Copy | None:
        """Returns which copy a state is that is about to be loaded; None where that brings anything, or the other is still like that."""
        weights = _weights(module)
        given = [tensor for name, _ in weights if isinstance(tensor := state.get(name), torch.Tensor)]
        if not weights or len(given) != len(weights):
            return None
        if any(tensor.data_ptr() == own.data_ptr() for tensor, (_, own) in zip(given, weights, strict=True)):
            return None
        digest = _digest(given)
        if digest != _digest(own for _, own in weights):
            return None
        for other, copies in self._taken.items():
            found = next((copy for copy in copies if copy.digest == digest), None)
            if other is not module and found is not None and _digest(tensor for _, tensor in _weights(other)) != digest:
                return found
        return None


def _weights(module: Any) -> list[tuple[str, Any]]:
    plain = ((name, tensor) for name, tensor in module.named_parameters() if is_plain(tensor.detach()) and tensor.is_floating_point())
    return list(islice(((name, tensor) for name, tensor in plain if 0 < tensor.numel() <= MOST_ELEMENTS), MOST_WEIGHTS))


def _digest(tensors: Iterable[Any]) -> _Digest:
    numbers = [number for tensor in tensors for number in (tensor.detach().double().sum(), tensor.detach().double().square().sum())]
    return tuple(torch.stack([number.cpu() for number in numbers]).tolist()) if numbers else ()
