"""What a tried fix is told with: the bounds decide whether anything is concluded, and in which direction."""

import pytest

from tensan.core.asks import Answer, Change, fix
from tensan.core.trial import Trial, trial_of

FIX = fix(Change.CLEAR, "optimizer:1")


def trial(less, low, high):
    return Trial(measure="held-out loss", before=0.41, after=0.22, steps=20, orders=5, less=less, low=low, high=high)


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (
            (0.46, 0.4, 0.5),
            "held-out loss from 0.41 to 0.22 in 20 replayed steps, 46 % less (40 % less to 50 % less in 5 orders of the batches)",
        ),
        ((0.987, 0.97, 0.9999), "97.0 % less to 100 % less"),
        ((-0.1, -0.2, -0.05), "10 % more (20 % more to 5 % more in 5 orders of the batches): on these steps it makes things worse"),
        (
            (0.1, -0.1, 0.3),
            "nothing is concluded, since the difference is within the spread (10 % more to 30 % less in 5 orders of",
        ),
        ((0.0, 0.0, 0.0), "nothing is concluded"),
    ],
)
def test_words(bounds, words):
    assert words in str(trial(*bounds))


@pytest.mark.parametrize(("low", "high", "concludes"), [(0.1, 0.2, True), (-0.2, -0.1, True), (-0.1, 0.1, False), (0.0, 0.1, False)])
def test_concludes_where_the_bounds_leave_zero_out(low, high, concludes):
    assert trial((low + high) / 2, low, high).concludes is concludes


def test_no_trial_without_a_value():
    assert trial_of(Answer(ask=FIX, why_not="there are several losses")) is None
