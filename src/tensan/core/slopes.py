"""The slope of a series that outliers do not move: the median of the slopes between all of its points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import median


def theil_sen(places: Sequence[float], values: Sequence[float]) -> float | None:
    """Returns the median slope between all pairs of points; None where no two lie at different places.

    As many as 29 % of the points may be anything without moving it far. H. Theil, "A rank-invariant method of linear and polynomial
    regression analysis", 1950; P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968.
    """
    points = list(zip(places, values, strict=True))
    slopes = [(second[1] - first[1]) / (second[0] - first[0]) for first, second in combinations(points, 2) if second[0] != first[0]]
    return median(slopes) if slopes else None
