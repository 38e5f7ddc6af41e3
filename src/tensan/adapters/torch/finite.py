"""Whether tensors are finite: in one pass and one read for each device and dtype."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch

from tensan.adapters.torch.norms import norms


def values_of(tensor: Any) -> Any:
    """Returns what a tensor stores: of a sparse one, the values that it has."""
    return tensor._values() if tensor.is_sparse else tensor


def broken(tensors: Iterable[Any]) -> list[Any]:
    """Returns those of some tensors that hold NaN or Inf."""
    several = [
        tensor
        for tensor in tensors
        if isinstance(tensor, torch.Tensor)
        and (tensor.is_floating_point() or tensor.is_complex())
        and tensor.numel()
        and not tensor.is_meta
    ]
    if not several:
        return []
    values = [values_of(tensor).detach() for tensor in several]
    # A norm of finite values can overflow: it only says where to look.
    if math.isfinite(sum(norms(values))):
        return []
    return [tensor for tensor, value in zip(several, values, strict=True) if not bool(torch.isfinite(value).all())]
