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
#: A level, in units, below which the unit is too large for the values.
_SMALL = 0.5
#: How fast it notices that values are high more often than not, and how much slower it learns from them then.
_DOUBTS = 0.15
_TOO_HIGH = 0.55
_WARY = 0.2
#: A trend upwards is no more than this, in scales a step: what grows faster is what is looked for.
_RISES = 0.01
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

    __slots__ = ("_cross", "_doubt", "_first", "_floor", "_last", "_slow", "_square", "level", "memory", "scale", "trend", "unit")

    def __init__(self, *, floor: float = 1e-3) -> None:
        self._floor = floor
        self._first: list[float] = []
        self.unit = 0.0
        self.level = self.trend = self.scale = self.memory = 0.0
        self._last = self._cross = self._slow = self._doubt = 0.0
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
        self._doubt += _DOUBTS * ((1.0 if surprise > 1.0 else 0.0) - self._doubt)
        wary = _WARY if self._doubt > _TOO_HIGH else 1.0
        follows = _LEVEL * wary
        self.level += self.trend + follows * kept
        trend = self.trend + _TREND * follows * kept
        self.trend = trend if trend < _RISES * scale else _RISES * scale
        learns = _MEMORY if wary == 1.0 else 0.0  # or else a drift would be taken for memory
        self._cross += learns * (kept * self._last - self._cross)
        self._square += learns * (self._last * self._last - self._square)
        found = self._cross / (self._square + 1e-30)
        self.memory = 0.0 if found < 0.0 else 0.95 if found > 0.95 else found
        self._last = kept - follows * kept
        deviation = clipped if clipped > 0 else -clipped
        scale += _SCALE * wary * (_TO_SIGMA * 1.01 * deviation - scale)
        self._slow = min(scale, self._slow * _SLOWLY) if scale > self._slow else self._slow + 0.001 * (scale - self._slow)
        if scale > _ABOVE_SLOW * self._slow:
            scale = _ABOVE_SLOW * self._slow
        self.scale = scale if scale > self._floor else self._floor
        if 3.0 * self.scale < self.level < _SMALL:
            self._measure_anew()
        return surprise

    def _measure_anew(self) -> None:
        """The values have become small beside the unit, where differences of a factor look like none: the usual value is the unit."""
        usual = math.sinh(self.level) * self.unit
        ratio = math.hypot(usual, self.unit) / math.hypot(usual, usual)
        self.unit, self.level = usual, math.asinh(1.0)
        self.scale *= ratio
        self._slow *= ratio
        self.trend *= ratio
        self._last *= ratio
        self._cross *= ratio * ratio
        self._square *= ratio * ratio

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
