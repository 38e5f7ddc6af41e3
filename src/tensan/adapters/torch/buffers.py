"""Keeps the last good values of the model's buffers: a bad batch reaches running statistics in the forward, before any gate."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.copies import copied
from tensan.adapters.torch.finite import broken

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Larger ones are tables rather than statistics.
MOST_VALUES = 1 << 20
#: Steps between two copies.
EVERY = 10


class Buffers:
    """Copies of floating-point buffers that were finite, by their place in a module.

    Args:
        recorder: knows the modules.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._every = recorder.watch.gate.every or EVERY
        self._wait = 0
        self._copies: dict[tuple[weakref.ref[Any], str], Any] = {}

    def stepped(self) -> list[str]:
        """A good step has ended: now and then the values are copied. Returns the names of those that had to be put back."""
        self._wait -= 1
        if self._wait > 0:
            return []
        return self.refresh()

    def refresh(self) -> list[str]:
        """Copies what is finite, and puts back what was finite when it was last looked at; returns the names of these."""
        self._wait = self._every
        healed = self.heal()
        live = {
            (weakref.ref(module), name): tensor
            for module in list(self._recorder.inventory.modules)
            for name, tensor in module._buffers.items()
            if tensor is not None and tensor.is_floating_point() and not tensor.is_meta and 0 < tensor.numel() <= MOST_VALUES
        }
        bad = {id(tensor) for tensor in broken(live.values())}
        good = {key: tensor for key, tensor in live.items() if id(tensor) not in bad}
        into = [self._copies[key] for key in good] if good.keys() == self._copies.keys() else ()
        self._copies = dict(zip(good, copied(list(good.values()), into=into), strict=True))
        return healed

    def heal(self) -> list[str]:
        """Puts the last good values where buffers are not finite any more; returns the names of these."""
        live = {}
        for (module, name), copy in self._copies.items():
            tensor = getattr(module(), "_buffers", {}).get(name)
            if tensor is not None and tensor.shape == copy.shape:
                live[module, name] = tensor
        bad = {id(tensor) for tensor in broken(live.values())}
        names = []
        for key, tensor in live.items():
            if id(tensor) in bad:
                with torch.no_grad():
                    tensor.copy_(self._copies[key])
                path = self._recorder.inventory.path_of(key[0]())
                names.append(f"`{path}.{key[1]}`" if path else f"`{key[1]}`")
        return names
