"""Learns online how high a statistic of a healthy stream goes, once in how many steps; nobody tunes a sigma."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Sequence

#: Steps of a block, of which the maximum counts: values near each other are no independent witnesses.
BLOCK = 8
#: Blocks that are remembered, those that a prior stands for, and those of the stream's own after which nothing is left of it.
MOST_BLOCKS = 1024
PRIOR = 20
LASTING = 60
#: Part of the maxima that is the tail, and blocks between two fits of it.
_TAIL = 0.2
_EVERY = 8
#: What an alarm counts for: it belongs to the tail, and must not stretch it by more than this, in tails.
_STRETCH = 1.5
#: A threshold may grow by so much from fit to fit once the prior is gone.
_GROWTH = 1.1
#: Thresholds stay below so many times that of the prior, of heavy tails already: who poisons the statistics slowly gets no further.
_HARDEST = 1.25
#: Shapes of a tail: from one that ends to one as heavy as loss spikes have.
_LIGHTEST, _HEAVIEST = 0.0, 0.45


class Calibration:
    """The tail of one statistic.

    Args:
        interval: steps between two false alarms that the user puts up with.
        prior: block maxima of a healthy stream of heavy-tailed noise, in any order; used while there are few of the stream's own.
    """

    __slots__ = (
        "_blocks",
        "_count",
        "_hardest",
        "_log_rate",
        "_peak",
        "_prior",
        "_shape",
        "_since",
        "_sorted",
        "_width",
        "interval",
        "limit",
        "start",
    )

    def __init__(self, *, interval: float, prior: Sequence[float]) -> None:
        self.interval = interval
        self._prior = sorted(prior)
        self._blocks: deque[float] = deque()
        self._sorted: list[float] = []
        self._count = self._since = 0
        self._peak = -math.inf
        self.limit = self._hardest = math.inf
        self._fit()
        self._hardest = _HARDEST * self.limit

    @property
    def num_blocks(self) -> int:
        """Blocks of the stream's own that are remembered."""
        return len(self._blocks)

    def evidence(self, statistic: float) -> float:
        """Returns the logarithm of the steps in which a healthy stream comes this high once, 0 for what is usual; learns from it."""
        if statistic > self._peak:
            self._peak = statistic
        self._count += 1
        if self._count >= BLOCK:
            self._close()
        if statistic <= self.start:
            return 0.0
        over = (statistic - self.start) / self._width
        shape = self._shape
        fallen = over if -1e-6 < shape < 1e-6 else math.log1p(shape * over) / shape if shape * over > -0.999 else 50.0
        return self._log_rate + fallen

    def _close(self) -> None:
        most = self.limit + _STRETCH * (self.limit - self.start)
        peak = self._peak if self._peak < most else most
        self._count, self._peak = 0, -math.inf
        blocks, ordered = self._blocks, self._sorted
        blocks.append(peak)
        insort(ordered, peak)
        if len(blocks) > MOST_BLOCKS:
            del ordered[bisect_left(ordered, blocks.popleft())]
        self._since += 1
        if self._since >= _EVERY:
            self._fit()

    def _fit(self) -> None:
        """Fits a generalised Pareto tail by probability-weighted moments."""
        self._since = 0
        own = len(self._sorted)
        prior = PRIOR * (LASTING - own) // LASTING  # leaves little by little
        maxima = self._sorted if prior <= 0 else sorted((*self._sorted, *self._thinned(prior)))
        count = len(maxima)
        tail = max(5, int(_TAIL * count))
        self.start = maxima[count - tail - 1]
        excess = [value - self.start for value in maxima[count - tail :]]
        mean = sum(excess) / tail
        weighted = sum((1 - (rank + 0.65) / tail) * value for rank, value in enumerate(excess)) / tail
        if mean <= 0 or mean <= 2 * weighted:
            shape, width = 0.05, max(mean, 1e-9)
        else:
            shape = 2 - mean / (mean - 2 * weighted)
            shape = (shape * tail + 0.05 * 20) / (tail + 20)  # few values tell little of a shape
            shape = min(max(shape, _LIGHTEST), _HEAVIEST)
            width = mean * (1 - shape)
        self._shape, self._width = shape, max(width, 1e-9)
        self._log_rate = math.log(BLOCK * (count + 1) / tail)
        wanted = math.log(self.interval) - self._log_rate
        reach = wanted if abs(shape) < 1e-6 else math.expm1(shape * wanted) / shape
        limit = self.start + self._width * max(reach, 0.0)
        most = min(self._hardest, _GROWTH * self.limit if own >= LASTING else math.inf)
        if limit > most > 0:
            self.start = min(self.start, 0.7 * most)
            self._width *= (most - self.start) / (limit - self.start)
            limit = most
        self.limit = limit

    def _thinned(self, count: int) -> list[float]:
        size = len(self._prior)
        return [self._prior[int((number + 0.5) * size / count)] for number in range(count)]
