"""Remembers of the rates that a schedule sets what tells whether it ended with training: the extremes, and since when there was none."""

from __future__ import annotations

from collections.abc import Sequence

#: Rates that differ by less are the same, computed in another order: torch's cosine goes from each rate to the next.
_EQUAL = 1e-3
#: A rate this much smaller than the largest is none.
_NOTHING = 1e-9


class RateTrail:
    """The largest rate of all groups, as a schedule moved it.

    Attributes:
        highest, last: the largest so far, and the last; lowest: the smallest since the largest.
        spent_at: how many steps the optimizer had done when the last rate above zero was gone; spent_steps: moves since.
        below_zero: the smallest rate, where it is less than zero.
    """

    __slots__ = ("below_zero", "highest", "last", "lowest", "spent_at", "spent_steps")

    def __init__(self) -> None:
        self.highest: float | None = None
        self.lowest: float | None = None
        self.last: float | None = None
        self.spent_at: int | None = None
        self.spent_steps = 0
        self.below_zero: float | None = None

    def add(self, rates: Sequence[float], steps: int) -> None:
        """Takes the rates that were just set, after so many steps of the optimizer."""
        if not rates:
            return
        rate = max(rates)
        self.last = rate
        if self.highest is None or rate > self.highest * (1 + _EQUAL):
            self.highest = self.lowest = rate
        elif self.lowest is None or rate < self.lowest:
            self.lowest = rate
        smallest = min(rates)
        if smallest < 0 and (self.below_zero is None or smallest < self.below_zero):
            self.below_zero = smallest
        if not self.highest or rate > _NOTHING * self.highest:
            self.spent_at, self.spent_steps = None, 0
        elif self.spent_at is None:
            self.spent_at, self.spent_steps = steps, 0
        else:
            self.spent_steps += 1
