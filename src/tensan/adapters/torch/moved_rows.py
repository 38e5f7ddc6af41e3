"""Looks at searches for an order: how many entries of an array does sorting move from where they are?"""

from __future__ import annotations

from typing import Any

import torch

MOST_ENTRIES = 100_000


def is_order(aten: str, output: Any) -> bool:
    """Tells whether an operation gives the order of a plain row of entries."""
    return aten in ("aten::sort", "aten::argsort") and type(indices := _indices(output)) is torch.Tensor and indices.dim() == 1


def moved(output: Any) -> dict[str, object]:
    """Tells of an order how many entries it moves: none where they were in order before."""
    indices = _indices(output)
    if not 0 < len(indices) <= MOST_ENTRIES or indices.is_meta or indices.layout is not torch.strided:
        return {}
    return {"moves": int((indices != torch.arange(len(indices), device=indices.device)).sum())}


def _indices(output: Any) -> Any:
    return output[-1] if isinstance(output, (tuple, list)) and output else output
