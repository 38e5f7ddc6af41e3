"""Keeps the last good file: a state that is not finite does not overwrite what was saved before it."""

from __future__ import annotations

import os
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
