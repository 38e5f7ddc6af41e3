"""The loss that a backward begins at, as a number, where that is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._C import _functorch as transforms  # pyright: ignore[reportAttributeAccessIssue]

from tensan.core.goal import LOSS

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder


def loss(recorder: Recorder, tensors: Any) -> float | None:
    """Returns what is differentiated, unless it is no single number or is scaled by nobody knows how much."""
    root = tensors if type(tensors) is torch.Tensor else None
    plain = root is not None and root.numel() == 1 and root.is_floating_point() and not root.is_meta
    if root is None or not plain or recorder.backwards.is_scaled or transforms.peek_interpreter_stack() is not None:
        return None
    return float(root.detach())


def loss_of_goal(recorder: Recorder, tensors: Any) -> None:
    """A backward is about to run under a goal: where that is a loss, it is read. The user asked for it, so a device is waited for."""
    pursuit = recorder.watch.pursuit
    if pursuit is not None and pursuit.goal.metric == LOSS:
        value = loss(recorder, tensors)
        if value is not None:
            recorder.watch.measured(LOSS, value)
