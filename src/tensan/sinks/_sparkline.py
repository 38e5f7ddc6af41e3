"""A curve in one line of text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

_BARS = "▁▂▃▄▅▆▇█"
#: Where a value was not finite, and where nothing was measured.
_BROKEN, _NOTHING = "×", " "
#: A ratio between largest and smallest value from which on the logarithm shows more.
_LOGARITHMIC = 50.0

Point = tuple[int, float]


def span(points: Iterable[Point]) -> tuple[float, float]:
    """Returns the smallest and the largest finite value, so that several curves can be drawn on one scale."""
    finite = [value for _, value in points if math.isfinite(value)]
    return (min(finite), max(finite)) if finite else (0.0, 0.0)


def sparkline(points: Sequence[Point], *, width: int, low: float, high: float, last_step: int | None = None) -> str:
    """Returns a curve as a row of bars.

    Args:
        points: values by step.
        width: characters.
        low: the value that the lowest bar stands for.
        high: the value that the highest bar stands for.
        last_step: the step at the right edge; by default the last that was measured.
    """
    if not points:
        return _NOTHING * width
    end = max(last_step or 0, points[-1][0], 1)
    buckets: list[list[float]] = [[] for _ in range(width)]
    for step, value in points:
        buckets[min(step * width // (end + 1), width - 1)].append(value)
    scale = math.log if low > 0 and high / low > _LOGARITHMIC else float
    text, latest = "", ""
    for bucket in buckets:
        if bucket:
            latest = _bar(bucket, scale(low), scale(high), scale)
        text += latest if bucket or text.strip() else _NOTHING
    filled = 1 + max(index for index, bucket in enumerate(buckets) if bucket)
    return text[:filled].ljust(width)


def _bar(values: Sequence[float], low: float, high: float, scale: object) -> str:
    if not all(map(math.isfinite, values)):
        return _BROKEN
    mean = sum(values) / len(values)
    place = ((math.log(mean) if scale is math.log else mean) - low) / (high - low) if high > low else 0.0
    return _BARS[min(int(place * len(_BARS)), len(_BARS) - 1)]
