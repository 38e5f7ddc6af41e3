"""Looks at two small gradients on steps that are not looked at otherwise, of the first layers and the last.

What breaks a gradient on its way breaks those of the first layers, unless a mask stops it; what breaks the loss breaks that of the last.

The whole test of all gradients is dear on short steps, and weights that a broken gradient has reached tell nothing any more. One sum over
a bias of the first layers costs some three microseconds in a tight loop, and some fifty after a large kernel.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from itertools import islice
from typing import Any

import torch
from torch.utils.weak import TensorWeakRef

from tensan.core.budget import Budget

#: Parameters at either end among which is chosen, and how many of those that are not too large.
FIRST = 4
CHOSEN = 2
#: Larger ones take too long.
MOST_VALUES = 1 << 14
#: Part of the budget that it may take.
PART = 0.1
#: Nanoseconds in which it is looked at in every step, whatever the budget says: in a short run there is no later. These are between
#: two and five hundred steps, as the caches are.
ALWAYS = 10_000_000
#: Looks after which the rate is thought over.
PERIOD = 32
#: Nanoseconds of one look until they are measured, and more than one ever takes: what goes beyond is waiting for the processor.
LOOK = 10_000
MOST_LOOK = 200_000


class Tripwire:
    """Two gradients of an optimizer.

    Args:
        parameters: of the optimizer.
        budget: pays for it.
    """

    def __init__(self, parameters: Iterable[Any], budget: Budget) -> None:
        self._watched = [TensorWeakRef(tensor) for tensor in ends(parameters)]
        self._budget = budget
        self._every = 1
        self._wait = 0
        self._looks = 0
        self._total = 0
        self._cost = LOOK
        self._elapsed = budget.elapsed

    def tripped(self) -> bool:
        """Tells whether it is time to look and the gradient is not finite."""
        self._wait -= 1
        if self._wait > 0 or not self._watched:
            return False
        self._wait = self._every
        self._looks += 1
        if self._looks < PERIOD:
            return self._look()
        # Timed where it happens, with the caches as the program's own kernels leave them: a look in a tight loop costs a tenth of that.
        began = time.thread_time_ns()  # waiting for the processor is no cost of ours
        broken = self._look()
        self._reconsider(time.thread_time_ns() - began)
        return broken

    def _look(self) -> bool:
        return any(map(_is_broken, self._watched))

    def _reconsider(self, cost: int) -> None:
        elapsed = self._budget.elapsed
        per_step = max((elapsed - self._elapsed) // (self._looks * self._every), 1)
        self._cost = min(MOST_LOOK, (self._cost + cost) // 2)
        self._budget.charge(self._looks * self._cost)
        self._total += self._looks * self._cost
        if self._total >= ALWAYS:
            self._every = max(1, min(1_000, math.ceil(self._cost / (self._budget.part(PART) * per_step))))
        self._wait = self._every
        self._elapsed, self._looks = elapsed, 0


def ends(parameters: Iterable[Any]) -> list[Any]:
    """Returns a small parameter of the first layers, and one of the last."""
    every = list(parameters)
    return list({id(tensor): tensor for end in (every, every[::-1]) for tensor in _smallest(end)}.values())


def _smallest(parameters: Iterable[Any]) -> list[Any]:
    fitting = [
        tensor
        for tensor in islice(parameters, FIRST)
        if type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.device.type == "cpu" and tensor.numel() <= MOST_VALUES
    ]
    return sorted(fitting[:CHOSEN], key=lambda tensor: tensor.numel())[:1]


def _is_broken(reference: TensorWeakRef) -> bool:
    tensor = reference()
    gradient = tensor.grad if tensor is not None else None
    return type(gradient) is torch.Tensor and not gradient.is_sparse and not math.isfinite(gradient.sum().item())
