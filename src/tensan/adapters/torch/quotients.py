"""Looks at whole quotients of a recorded step: did all of them come out as zero, although what was divided differs?"""

from __future__ import annotations

from typing import Any

import torch

#: Values of an array that is looked at.
MOST_VALUES = 1 << 20
LEAST_VALUES = 4


def quotient(arguments: tuple[Any, ...], output: Any) -> dict[str, object]:
    """Returns what there is to tell of `a // b`, of integers: nothing where it was not looked at.

    `all_zero` tells whether the quotients are zero throughout; `divided` holds the smallest and the largest of what was divided, how many
    different values there were, their sum, and the smallest divisor.
    """
    if len(arguments) < 2 or not _is_whole(arguments[0]) or not _is_whole(output):
        return {}
    divided, divisor = arguments[0], arguments[1]
    if isinstance(divisor, torch.Tensor) and not (divisor.device.type == "cpu" and 0 < divisor.numel() <= MOST_VALUES):
        return {}
    if bool(output.reshape(-1)[:1].any()) or bool(output.any()):
        return {"all_zero": False}
    by = float(divisor.min()) if isinstance(divisor, torch.Tensor) else float(divisor)
    values = int(divided.min()), int(divided.max()), len(divided.unique()), int(divided.sum())
    return {"all_zero": True, "divided": (*values, by)}


def _is_whole(tensor: Any) -> bool:
    """Tells whether something is an array of integers that can be read."""
    if type(tensor) is not torch.Tensor or tensor.device.type != "cpu" or not LEAST_VALUES <= tensor.numel() <= MOST_VALUES:
        return False
    return not tensor.is_floating_point() and not tensor.is_complex() and tensor.dtype is not torch.bool
