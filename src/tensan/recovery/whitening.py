"""What is surprising in a stream: its residual from a robust level, trend and memory, in units of its own robust scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

#: Values of which the first level and scale are made.
FIRST = 20
#: How fast level, trend, scale and memory follow. A fault must not be learned before it is told: the trend follows last.
_LEVEL, _TREND, _SCALE, _MEMORY = 0.03, 0.003, 0.02, 0.005
#: Residuals beyond so many scales count as that many, so that no single value moves what is usual by much.
_CLIP = 3.0
#: From the mean absolute deviation to the standard one, for residuals of a normal distribution.
_TO_SIGMA = 1.2533
#: A level that differs by so many scales is another one.
_ANOTHER = 2.0
#: A scale may grow by so much a step, in the long run: who poisons it slowly gains little.
_SLOWLY = 1.0005
_ABOVE_SLOW = 3.0


class Whitening:
    """The usual course of one stream.

    Args:
        floor: the smallest scale, relative to the usual size of the values: finer differences are none.
    """

    __slots__ = ("_cross", "_first", "_floor", "_last", "_slow", "_square", "level", "memory", "scale", "trend", "unit")

    def __init__(self, *, floor: float = 1e-3) -> None:
        self._floor = floor
        self._first: list[float] = []
        self.unit = 0.0
        self.level = self.trend = self.scale = self.memory = 0.0
        self._last = self._cross = self._slow = 0.0
        self._square = 1e-12

    @property
    def is_ready(self) -> bool:
        """Whether enough was seen."""
        return self.unit > 0

    def residual(self, value: float) -> float:
        """Returns how surprising a value is, and learns from it; 0 until enough was seen."""
        if not self.unit:
            self._begin(value)
            return 0.0
        size = math.asinh(value / self.unit)  # like a logarithm where values are large, and takes those below zero
        scale, memory = self.scale, self.memory
        away = size - self.level - self.trend
        fresh = away - memory * self._last
        surprise = fresh / scale
        most = _CLIP * scale
        clipped = most if fresh > most else -most if fresh < -most else fresh
        kept = clipped + memory * self._last
        self.level += self.trend + _LEVEL * kept
        self.trend += _TREND * _LEVEL * kept
        self._cross += _MEMORY * (kept * self._last - self._cross)
        self._square += _MEMORY * (self._last * self._last - self._square)
        found = self._cross / (self._square + 1e-30)
        self.memory = 0.0 if found < 0.0 else 0.95 if found > 0.95 else found
        self._last = kept - _LEVEL * kept
        deviation = clipped if clipped > 0 else -clipped
        scale += _SCALE * (_TO_SIGMA * 1.01 * deviation - scale)
        self._slow = min(scale, self._slow * _SLOWLY) if scale > self._slow else self._slow + 0.001 * (scale - self._slow)
        if scale > _ABOVE_SLOW * self._slow:
            scale = _ABOVE_SLOW * self._slow
        self.scale = scale if scale > self._floor else self._floor
        return surprise

    def anchor(self, values: Sequence[float]) -> bool:
        """Takes what has lasted for usual from now on, where it is another level; returns whether it is."""
        sizes = sorted(math.asinh(value / self.unit) for value in values)
        middle = sizes[len(sizes) // 2]
        if abs(middle - self.level) < _ANOTHER * self.scale:
            return False
        self.level, self.trend, self._last = middle, 0.0, 0.0
        return True

    def _begin(self, value: float) -> None:
        first = self._first
        first.append(value)
        if len(first) < FIRST:
            return
        self.unit = sorted(map(abs, first))[FIRST // 2] or max(map(abs, first)) or 1.0
        sizes = [math.asinh(each / self.unit) for each in first]
        self.level = sorted(sizes[FIRST // 2 :])[FIRST // 4]
        steps = sorted(abs(after - before) for before, after in pairwise(sizes))
        self.scale = max(1.05 * steps[FIRST // 2], self._floor)  # of differences, so that a steep beginning is no noise
        self._slow = self.scale
        self._square = self.scale * self.scale
        self._last = sizes[-1] - self.level
        first.clear()
