"""Detectors: each turns the surprises of a stream into one statistic that is high where it looks for trouble."""

from __future__ import annotations

from collections import deque
from typing import Protocol


class Detector(Protocol):
    """Keeps what it needs of one stream.

    Attributes:
        name: for the report.
        prior: maxima of 8 steps each, met on healthy noise with heavy tails.
        since: steps over which what it says was gathered; 0 where a single value says it.
    """

    name: str
    prior: tuple[float, ...]
    since: int

    def statistic(self, surprise: float, value: float) -> float:
        """Returns how much speaks for a fault, after one value more."""
        ...

    def reset(self) -> None:
        """Forgets what it has gathered: what was told, or taken back, must not be told again."""
        ...


class Spike:
    """One value by itself."""

    __slots__ = ()
    name = "spike"
    since = 0
    prior = (1.0, 1.2, 1.4, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.7, 2.9, 3.1, 3.4, 3.8, 4.4, 5.5)

    def statistic(self, surprise: float, value: float) -> float:
        return surprise

    def reset(self) -> None:
        return


class Cusum:
    """The sum of what exceeds an allowance, each value clipped: a slow drift, or a level that has moved.

    Args:
        allowance: what is let go at each step, in scales.
        clip: what a single value counts for at most.
    """

    __slots__ = ("_allowance", "_clip", "_sum", "since")
    name = "drift"
    prior = (0.5, 0.9, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4, 2.6, 2.9, 3.1, 3.4, 3.7, 4.1, 4.5, 5.0, 5.7, 6.7, 8.5)

    def __init__(self, *, allowance: float = 0.5, clip: float = 4.0) -> None:
        self._allowance, self._clip = allowance, clip
        self._sum = 0.0
        self.since = 0

    def statistic(self, surprise: float, value: float) -> float:
        clip = self._clip
        found = self._sum + (clip if surprise > clip else surprise) - self._allowance
        if found > 0.0:
            self.since += 1
        else:
            self.since, found = 0, 0.0
        self._sum = found
        return found

    def reset(self) -> None:
        self._sum, self.since = 0.0, 0


class Burst:
    """A short average of squares: values that scatter more than they did, to either side."""

    __slots__ = ("_mean",)
    name = "burst"
    since = 0
    prior = (0.9, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.4, 2.6, 2.8, 3.1, 3.5, 4.1, 5.2)

    def __init__(self) -> None:
        self._mean = 1.0

    def statistic(self, surprise: float, value: float) -> float:
        square = surprise * surprise
        self._mean += 0.15 * ((25.0 if square > 25.0 else square) - self._mean)
        return self._mean

    def reset(self) -> None:
        self._mean = 1.0


class Rises:
    """A naive rule, for comparison: so much more than the step before, so many times in a row. Its statistic is how often."""

    __slots__ = ("_by", "_last", "_row")
    name = "rises"
    since = 0
    prior = (0.0,) * 20 + (1.0, 1.0, 2.0, 3.0)

    def __init__(self, *, by: float = 0.15) -> None:
        self._by = by
        self._last, self._row = float("inf"), 0

    def statistic(self, surprise: float, value: float) -> float:
        self._row = self._row + 1 if value > (1 + self._by) * self._last else 0
        self._last = value
        return float(self._row)

    def reset(self) -> None:
        self._row = 0


class Ratio:
    """A naive rule, for comparison: how many times the moving average a value is."""

    __slots__ = ("_sum", "_values")
    name = "ratio"
    since = 0
    prior = (1.1, 1.2, 1.2, 1.3, 1.3, 1.3, 1.4, 1.4, 1.4, 1.5, 1.5, 1.5, 1.6, 1.6, 1.7, 1.7, 1.8, 1.8, 1.9, 2.0, 2.2, 2.4, 2.8, 3.5)

    def __init__(self, *, over: int = 20) -> None:
        self._values: deque[float] = deque(maxlen=over)
        self._sum = 0.0

    def statistic(self, surprise: float, value: float) -> float:
        values = self._values
        usual = self._sum / len(values) if len(values) == values.maxlen else 0.0
        if len(values) == values.maxlen:
            self._sum -= values[0]
        values.append(value)
        self._sum += value
        return value / usual if usual > 0 else 0.0

    def reset(self) -> None:
        return


def usual() -> tuple[Detector, ...]:
    """Returns those that are used where nothing else is asked for."""
    return Spike(), Cusum(), Burst()
