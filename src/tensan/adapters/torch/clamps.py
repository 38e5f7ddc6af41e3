"""Holds learning rates at what they were before a fault, step by step, without touching what the program's schedule computes from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord


class Clamps:
    """The rates that may not be exceeded, by optimizer; each lasts until the program's own rate is no higher."""

    def __init__(self) -> None:
        self._limits: dict[str, list[float | None]] = {}
        self._own: dict[str, list[tuple[Any, Any]]] = {}

    def hold(self, rates: dict[str, list[float]]) -> str:
        """Begins to hold rates, or goes on to hold them where they are held lower already; returns them as text."""
        for optimizer, limits in rates.items():
            earlier = self._limits.get(optimizer, [None] * len(limits))
            self._limits[optimizer] = [rate if held is None else min(rate, held) for rate, held in zip(limits, earlier, strict=True)]
        held_at = {rate for optimizer in rates for rate in self._limits[optimizer]}
        return ", ".join(sorted(f"{rate:.3g}" for rate in held_at))

    def before_step(self, record: OptimizerRecord) -> None:
        """An optimizer is about to step: rates that are too high are lowered for this step."""
        limits = self._limits.get(record.id)
        optimizer = record.reference()
        if not limits or optimizer is None:
            return
        held: list[tuple[Any, Any]] = []
        for number, (group, limit) in enumerate(zip(optimizer.param_groups, limits, strict=False)):
            rate = group.get("lr")
            if limit is None or rate is None:
                continue
            own = float(rate)
            if own <= limit:
                limits[number] = None
            elif own > limit or math.isnan(own):
                held.append((group, rate))
                group["lr"] = limit if isinstance(rate, (int, float)) else rate.new_tensor(limit)
        self._own[record.id] = held
        if all(limit is None for limit in limits):
            del self._limits[record.id]

    def after_step(self, record: OptimizerRecord) -> None:
        """The optimizer has stepped: the program finds its own rates again."""
        for group, rate in self._own.pop(record.id, ()):
            group["lr"] = rate
