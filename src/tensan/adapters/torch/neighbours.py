"""Looks at searches for the nearest neighbours: is a set compared with itself, and is what each row finds first the row itself?"""

from __future__ import annotations

from typing import Any

import torch

#: Rows of a set that is compared with itself.
LEAST_ROWS = 8
MOST_ROWS = 20_000
#: Where the axis stands among the arguments of what looks for the first ones along it.
_AXIS = {"topk": 2, "sort": 1, "argsort": 1, "argmax": 1, "argmin": 1, "max": 1, "min": 1}


def with_itself(arguments: tuple[Any, ...]) -> dict[str, object]:
    """Tells of a product, a difference or a distance of two arrays whether both are one and the same, however each is laid out."""
    if len(arguments) < 2 or not all(type(each) is torch.Tensor and each.layout is torch.strided for each in arguments[:2]):
        return {}
    left, right = arguments[:2]
    same = left.data_ptr() == right.data_ptr() != 0 and _extent(left) == _extent(right) and left.numel() == right.numel()
    return {"with_itself": True} if same and left.dtype is right.dtype else {}


def _extent(tensor: Any) -> list[tuple[int, int]]:
    """Returns over which steps of the memory an array reaches, whatever the order of its axes."""
    return sorted((step, size) for size, step in zip(tensor.shape, tensor.stride(), strict=True) if size > 1)


def found_first(aten: str, arguments: tuple[Any, ...], keywords: dict[str, Any], output: Any) -> dict[str, object]:
    """Tells of a search along an axis of a square table for which share of the rows it finds the row's own number first."""
    place = _AXIS.get(aten.rpartition("::")[2])
    searched: Any = arguments[0] if arguments else None
    indices = output[-1] if isinstance(output, (tuple, list)) and output else output
    if place is None or not _is_table(searched) or type(indices) is not torch.Tensor or indices.dtype is not torch.int64:
        return {}
    axis = arguments[place] if len(arguments) > place else keywords.get("dim", -1)
    if not isinstance(axis, int) or isinstance(axis, bool) or not 1 <= indices.dim() <= 2 or not indices.numel():
        return {}
    first = indices.select(axis, 0) if indices.dim() == 2 else indices
    own = torch.arange(len(searched), device=indices.device)
    return {"finds_itself": float((first == own).double().mean())} if len(first) == len(own) else {}


def _is_table(tensor: Any) -> bool:
    plain = type(tensor) is torch.Tensor and tensor.layout is torch.strided and tensor.dim() == 2 and not tensor.is_meta
    return plain and LEAST_ROWS <= len(tensor) <= MOST_ROWS and tensor.shape[0] == tensor.shape[1]
