"""A module with forty raise sites in nested calls: its forward, parts, helpers, a validator, a data class."""

from dataclasses import dataclass

import torch
from contracts.breaking import helpers
from torch import nn

SMALLEST, LARGEST = -500.0, 500.0


class RefusedError(Exception):
    """The program's own."""


def check_rank(x, rank):
    if x.dim() < rank:
        raise ValueError(f"too few axes: {x.dim()}")
    if x.dim() > rank:
        raise ValueError(f"too many axes: {x.dim()}")


def check_dtype(x):
    if x.dtype == torch.float64:
        raise TypeError("doubles")
    if x.dtype == torch.float16:
        raise TypeError("halves")
    if not x.is_floating_point():
        raise TypeError("no floats")


def check_finite(x):
    if x.isnan().any():
        raise ArithmeticError("NaN")
    if torch.isposinf(x).any():
        raise OverflowError("infinite")
    assert not torch.isneginf(x).any(), "minus infinity"


@dataclass
class Limits:
    """Made anew in each forward."""

    low: float
    high: float

    def __post_init__(self):
        if self.low > self.high:
            raise ValueError("the least is more than the most")

    def check(self, x):
        if x.numel() and x.max() > self.high:
            raise RefusedError("too large")
        if x.numel() and x.min() < self.low:
            raise RefusedError("too small")

    @property
    def span(self):
        if self.high - self.low > 10000:
            raise ValueError("too wide")
        return self.high - self.low


class Sizes(nn.Module):
    """Looks at axes."""

    def __init__(self, features):
        super().__init__()
        self.features = features

    def forward(self, x):
        if x.shape[0] == 0:
            raise ValueError("no samples")
        if x.shape[0] == 1:
            raise ValueError("one sample")
        if x.shape[1] == 0:
            raise ValueError("no steps")
        if x.shape[2] == 0:
            raise ValueError("no features")
        if x.shape[2] == 1:
            raise ValueError("one feature")
        if x.shape[2] < self.features:
            raise ValueError("too few features")
        if x.shape[2] > 8 * self.features:
            raise ValueError("far too many features")
        if x.shape[2] > self.features:
            raise ValueError("too many features")
        if x.shape[0] > 16:
            raise MemoryError("batch too large")
        if x.shape[1] > 32:
            raise IndexError("sequence too long")
        if x.shape[1] < 2:
            raise IndexError("sequence too short")
        return self.odd(x)

    def odd(self, x):
        def refuse(what):
            raise RefusedError(what)

        if x.shape[1] % 2:
            refuse("an odd number of steps")
        return x


class Mask(nn.Module):
    """Looks at a second argument."""

    def forward(self, x, mask):
        if mask.dtype != torch.bool:
            raise TypeError("no mask")
        if mask.dim() == 1:
            raise ValueError("a mask of one axis")
        if mask.dim() > 2:
            raise ValueError("a mask of more axes")
        if mask.shape[1] == 0:
            raise ValueError("a mask of no steps")
        if mask.shape[1] > 8 * x.shape[1]:
            raise ValueError("a far too long mask")
        if mask.shape[0] < x.shape[0]:
            raise ValueError("too few rows")
        if mask.shape[0] > x.shape[0]:
            raise ValueError("too many rows")
        if mask.shape != x.shape[:2]:
            raise ValueError("another length")
        if not mask.any():
            raise RefusedError("all is hidden")
        if mask.all():
            raise RefusedError("nothing is hidden")
        return x * mask[..., None]


class Model(nn.Module):
    """All of it."""

    def __init__(self, features=4):
        super().__init__()
        self.sizes, self.mask = Sizes(features), Mask()
        self.body = nn.Sequential(nn.Linear(features, 8), helpers.Gate(), nn.Linear(8, 2))

    def forward(self, x, mask, scale):
        check_rank(x, 3)
        check_dtype(x)
        x = self.mask(self.sizes(x), mask)
        check_finite(x)
        limits = Limits(SMALLEST, LARGEST * max(scale, 1) if scale >= 0 else 2 * SMALLEST)
        limits.check(x)
        if limits.span < 0:
            raise RefusedError("never")
        x = helpers.scaled(x, scale)
        if not x.any():
            raise RefusedError("zeros")
        return self.body(x)
