"""Promises about values: a range, that all are finite, that a gradient is recorded or is not."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tensan.contracts.calls.dtypes import name_of


@dataclass(frozen=True, slots=True)
class Values:
    """What is promised of the values at one path, such as `x`, `return` or `return.0`.

    Attributes:
        path: where they are.
        low: the least they may be.
        high: the most they may be.
        finite: whether none may be NaN or infinite.
        grad: whether a gradient must be recorded, or must not; None where either is right.
    """

    path: str
    low: float = -math.inf
    high: float = math.inf
    finite: bool = False
    grad: bool | None = None

    def broken(self, array: Any) -> str:
        """Returns what is wrong with the values of an array, "" where nothing is."""
        if not isinstance(array, (int, float)) and not hasattr(array, "shape"):
            return f"{self.path}: expected an array or a number, got {type(array).__name__}"
        return self._of_gradient(array) or self._of_range(array)

    def _of_gradient(self, array: Any) -> str:
        if self.grad is None:
            return ""
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(array, torch.Tensor):
            # Under no_grad nothing is recorded, and nothing was lost.
            recorded = array.requires_grad or (self.grad and not torch.is_grad_enabled())
        elif type(array).__module__ == "numpy":
            recorded = False
        else:
            return ""
        if recorded == self.grad:
            return ""
        return (
            f"{self.path}: expected {'a' if self.grad else 'no'} gradient to be recorded, got {_kind(array)} with requires_grad={recorded}"
        )

    def _of_range(self, array: Any) -> str:
        bounded = self.low != -math.inf or self.high != math.inf
        if not (bounded or self.finite) or 0 in getattr(array, "shape", ()):
            return ""
        low, high = _extremes(array)
        got = f"got {low:g}" if low == high or math.isnan(low) else f"got {low:g} to {high:g}"
        if self.finite and not (math.isfinite(low) and math.isfinite(high)):
            return f"{self.path}: expected finite values, {got}"
        return "" if self.low <= low and high <= self.high else f"{self.path}: expected values from {self.low:g} to {self.high:g}, {got}"


def follow(value: Any, steps: tuple[str, ...]) -> Any:
    """Returns what lies at a path below a value: a key of a mapping, a place in a sequence, an attribute."""
    for step in steps:
        value = value[step] if isinstance(value, Mapping) else value[int(step)] if step.isdecimal() else getattr(value, step)
    return value


def _extremes(array: Any) -> tuple[float, float]:
    """Returns the least and the greatest value, of absolute values where they are complex; a NaN anywhere makes both NaN."""
    if isinstance(array, (int, float)):
        return float(array), float(array)
    values = array.detach() if hasattr(array, "detach") else array
    if name_of(array.dtype).startswith("complex"):
        values = abs(values)
    if not hasattr(values, "min"):
        values = values.numpy()
    return float(values.min()), float(values.max())


def _kind(array: Any) -> str:
    return f"{type(array).__module__.partition('.')[0]}'s {type(array).__name__}"
