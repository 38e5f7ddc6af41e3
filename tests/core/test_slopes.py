"""The robust slope agrees with a computation by hand, and outliers do not move it."""

from __future__ import annotations

import random

import pytest

from tensan.core.slopes import theil_sen


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_median_of_all_slopes(seed: int) -> None:
    draw = random.Random(seed)
    places = [draw.randrange(12) for _ in range(draw.randrange(2, 15))]
    values = [draw.gauss(0, 1) for _ in places]
    slopes = []
    for i in range(len(places)):
        for j in range(len(places)):
            if places[j] > places[i]:
                slopes.append((values[j] - values[i]) / (places[j] - places[i]))
    slopes.sort()
    middle = len(slopes) // 2
    wanted = None if not slopes else slopes[middle] if len(slopes) % 2 else (slopes[middle - 1] + slopes[middle]) / 2
    assert theil_sen(places, values) == pytest.approx(wanted)


def test_outliers_do_not_move_it() -> None:
    values = [3.0 * step + 1 for step in range(15)]
    values[4], values[9], values[14] = 1e9, -1e9, 1e12
    assert theil_sen(range(15), values) == pytest.approx(3.0, rel=0.01)


def test_one_place_has_no_slope() -> None:
    assert theil_sen([], []) is None
    assert theil_sen([2, 2], [0, 5]) is None
