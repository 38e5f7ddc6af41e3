"""Copies of tensors and of what holds them: taken in few calls, into memory that is used again, and put back in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

_PLAIN = (bool, int, float, complex, str, bytes, type(None))


class _Slot(NamedTuple):
    """Stands for a tensor in a skeleton."""

    number: int


class _Kept(NamedTuple):
    """Stands for what cannot be copied and is left as it is."""

    thing: Any


def copied(tensors: Sequence[Any], *, into: Sequence[Any] = ()) -> list[Any]:
    """Returns copies of tensors.

    Args:
        tensors: what is copied.
        into: copies of old, whose memory is used again where they are alike.
    """
    with torch.no_grad():
        plain = [tensor.detach() for tensor in tensors]
        if len(into) == len(plain) and all(map(_alike, into, plain)):
            if plain:
                torch._foreach_copy_(list(into), plain)  # pyright: ignore[reportPrivateImportUsage]
            return list(into)
        return [tensor.clone() for tensor in plain]


def _alike(left: Any, right: Any) -> bool:
    return (
        left.layout is right.layout is torch.strided
        and left.shape == right.shape
        and left.stride() == right.stride()
        and left.dtype is right.dtype
        and left.device == right.device
    )


def put_back(tensors: Sequence[Any], copies: Sequence[Any]) -> None:
    """Writes copies into the tensors that they were taken of."""
    with torch.no_grad():
        for tensor, copy in zip(tensors, copies, strict=True):
            tensor.detach().copy_(copy)


def skeleton(value: Any, tensors: list[Any]) -> Any:
    """Returns a value with its tensors taken out, which are added to a list; dicts, lists and tuples are copied, other things kept."""
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return _Slot(len(tensors) - 1)
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, dict):
        return {key: skeleton(item, tensors) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(skeleton(item, tensors) for item in value)
    return _Kept(value)


def rebuilt(bones: Any, copies: Sequence[Any]) -> Any:
    """Returns a value from its skeleton, with copies of the copies of its tensors."""
    if isinstance(bones, _Slot):
        return copies[bones.number].clone()
    if isinstance(bones, _Kept):
        return bones.thing
    if isinstance(bones, dict):
        return {key: rebuilt(item, copies) for key, item in bones.items()}
    if type(bones) in (list, tuple):
        return type(bones)(rebuilt(item, copies) for item in bones)
    return bones
