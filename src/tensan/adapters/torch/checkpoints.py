"""Keeps what is good: a state that is not finite neither overwrites the file that was saved before it nor is loaded."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from tensan.adapters.torch.finite import broken

#: Parts of a saved object that are looked at, and how deep.
MOST_PARTS = 20_000
_DEEPEST = 6


def poisoned(saved: Any, *, trained: Iterable[Any]) -> list[str]:
    """Returns the names of what must be finite in an object that is about to be saved, and is not.

    Args:
        saved: the object.
        trained: parameters and moments. Only of these an infinity is told: a mask that is saved with a model has some by nature.
    """
    own = {tensor.untyped_storage().data_ptr() for tensor in trained if tensor.layout is torch.strided and not tensor.is_meta}
    named = dict(_named(saved, "", 0))
    found = {id(tensor) for tensor in broken(named.values())}
    return [
        name
        for name, tensor in named.items()
        if id(tensor) in found and (tensor.untyped_storage().data_ptr() in own or bool(torch.isnan(tensor).any()))
    ]


def unfit(target: Any, state: Any) -> list[str]:
    """Returns the names of what must be finite in a state that is about to be loaded, and is not.

    Args:
        target: the module or optimizer that it is loaded into. What is trained must be finite; of the rest only a NaN is told, since
            a mask has infinities by nature, as what an optimizer of the program's own remembers may have.
        state: the state.
    """
    named = dict(_named(state, "", 0))
    found = {id(tensor) for tensor in broken(named.values())}
    if isinstance(target, torch.nn.Module):
        strict = {name for name, tensor in target.named_parameters(remove_duplicate=False) if tensor.requires_grad}
    else:
        strict = set(named) if type(target).__module__.startswith("torch.optim") else set()
    return [name for name, tensor in named.items() if id(tensor) in found and (name in strict or bool(torch.isnan(tensor).any()))]


class Origins:
    """Which file the tensors come from that were read last."""

    def __init__(self) -> None:
        self._paths: dict[int, tuple[weakref.ref[Any], str]] = {}

    def read(self, value: Any, source: Any) -> None:
        """`torch.load` has returned."""
        path = file_of(source)
        if path is not None:
            self._paths = {key: known for key, known in self._paths.items() if known[0]() is not None}
            self._paths |= {id(tensor): (weakref.ref(tensor), path) for _, tensor in _named(value, "", 0)}

    def of(self, state: Any) -> str:
        """Returns the path of the first tensor of a state that came from a file; empty where none did."""
        known = ((tensor, self._paths.get(id(tensor))) for _, tensor in _named(state, "", 0))
        return next((entry[1] for tensor, entry in known if entry is not None and entry[0]() is tensor), "")


def _named(value: Any, name: str, depth: int) -> Iterator[tuple[str, Any]]:
    if isinstance(value, torch.Tensor):
        if value.layout is torch.strided:
            yield name, value
    elif isinstance(value, torch.nn.Module):
        yield from value.named_parameters()
        yield from value.named_buffers()
    elif depth < _DEEPEST and isinstance(value, (dict, list, tuple)) and len(value) <= MOST_PARTS:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _named(item, f"{name}.{key}" if name else str(key), depth + 1)


def file_of(target: Any) -> str | None:
    """Returns the path that something is saved to; None where it is an open file, which is empty by now."""
    return os.fspath(target) if isinstance(target, (str, os.PathLike)) else None
