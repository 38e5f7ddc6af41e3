"""The norms of many tensors at once: one pass, and one read for each device and dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


def norms(tensors: Sequence[Any]) -> list[float]:
    """Returns the norm of each tensor."""
    by_device: dict[Any, list[int]] = {}
    for index, tensor in enumerate(tensors):
        by_device.setdefault((tensor.device, tensor.dtype), []).append(index)
    found = [0.0] * len(tensors)
    for places in by_device.values():
        # L2 alone has a vectorised path on the CPU; finite values can overflow it, so a hit is only a trigger.
        several = torch._foreach_norm([tensors[index].detach() for index in places])  # pyright: ignore[reportPrivateImportUsage]
        for index, norm in zip(places, torch.stack(several).tolist(), strict=True):
            found[index] = norm
    return found
