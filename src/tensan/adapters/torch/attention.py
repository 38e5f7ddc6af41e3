"""Decides which steps are looked at: the first ones, those after a rare event, and then as many as the budget allows."""

from __future__ import annotations

from collections.abc import Iterable

from tensan.core.budget import Budget

#: Steps that are looked at from the start, whatever they cost; they are charged all the same.
FIRST_STEPS = 16
#: But after so many of them no more once they have cost so many nanoseconds, the budget not allowing for it.
LEAST_FIRST = 10
FREE_FIRST = 60_000_000
#: Steps of a later window: three, so that what must hold in a row can be seen.
WINDOW = 3
#: Steps of a window that is due but not paid for: two, the fewest that show a step and what the next one finds of it.
UNPAID_WINDOW = 2
#: Windows that rare events of each kind may open without asking the budget. An epoch is the least rare of them.
EVENT_WINDOWS = {"epoch": 4, "load": 4, "mode": 6, "optimizer": 8, "parameter": 8}
#: Nanoseconds that the hooks take on a step that is not looked at, with the caches as an ordinary step leaves them; in a tight
#: loop it is a fifth of that. Measured by `benchmarks/hooks.py`.
IDLE_STEP = 13_000
#: A window is never closer to the last one than this, so that rounding of the clock cannot keep one open for ever.
LEAST_GAP = 8
#: And the gaps grow up to this, so that a long run stays watched.
MOST_GAP = 20_000


class Attention:
    """Counts steps down to the next window, and windows down to their end.

    Args:
        budget: pays for it.
        first: number of steps that are looked at from the start, whatever they cost; without it as many as are usual.
        expected: steps at which something is known to come, since a run is replayed: they are looked at whatever they cost.
    """

    def __init__(self, budget: Budget, *, first: int | None = None, expected: Iterable[int] = ()) -> None:
        self.budget = budget
        self.on = True
        self.left = first or FIRST_STEPS
        self._least = first or LEAST_FIRST
        self.skip = 0
        self.skipped = 0
        self.events_left = dict(EVENT_WINDOWS)
        self.num_windows = 1
        self.total = 0
        #: A window is opened at this many steps whatever it costs, and then each time their number has doubled: what is
        #: said of the whole run at its end must have been looked at in its second half.
        self.due = 2 * FIRST_STEPS
        self._expected = sorted(expected, reverse=True)
        self._spent_at_open = budget.spent
        self._elapsed_at_close = 0
        self._gap = LEAST_GAP
        self._steps_in_window = 0
        self._cost_per_step = 100_000.0

    def step_done(self) -> bool:
        """Counts a step; returns whether the state has changed."""
        if self.on:
            self.left -= 1
            self._steps_in_window += 1
            if self.left > 0 and not self._first_is_dear():
                return False
            self._close()
            return True
        self.skip -= 1
        self.skipped += 1
        if self.skip > 0:
            return False
        return self._reconsider()

    def rare_event(self, kind: str) -> bool:
        """Opens a window because something of a kind happened that may change what holds; returns whether the state has changed."""
        if self.on:
            self.left = max(self.left, WINDOW)
            return False
        if self.events_left[kind] > 0:
            self.events_left[kind] -= 1
        elif not self.budget.allows(int(self._cost_per_step * WINDOW)):
            return False
        self._open(WINDOW)
        return True

    def _first_is_dear(self) -> bool:
        first = self.num_windows == 1 and self._steps_in_window >= self._least
        return first and self.budget.spent > FREE_FIRST and not self.budget.allows(0)

    def _close(self) -> None:
        self.total += self._steps_in_window
        if self._steps_in_window:
            self._cost_per_step = (self.budget.spent - self._spent_at_open) / self._steps_in_window
        self.on = False
        self.skipped = 0
        self.skip = max(1, min(self._gap, self._next_due() - self.total))
        self._elapsed_at_close = self.budget.elapsed

    def _open(self, steps: int) -> None:
        self._charge_idle()
        self.on, self.left, self._steps_in_window = True, steps, 0
        self._spent_at_open = self.budget.spent
        self.num_windows += 1

    def _charge_idle(self) -> None:
        self.total += self.skipped
        self.budget.charge_fixed(self.skipped * IDLE_STEP)

    def _reconsider(self) -> bool:
        per_step = max((self.budget.elapsed - self._elapsed_at_close) // max(self.skipped, 1), 1)
        wait = self.budget.steps_until(int(self._cost_per_step * WINDOW), per_step=per_step)
        if wait <= 0 or self.total + self.skipped >= self._next_due():
            if wait <= 0 or self.total + self.skipped >= self.due:
                self.due = max(self.due, 2 * (self.total + self.skipped))
            self._open(WINDOW if wait <= 0 else UNPAID_WINDOW)
            self._gap = min(self._gap * 2, MOST_GAP)
            return True
        self._charge_idle()
        self.skipped, self._elapsed_at_close = 0, self.budget.elapsed
        self.skip = max(1, min(max(LEAST_GAP, wait), MOST_GAP, self._next_due() - self.total))
        return False

    def _next_due(self) -> int:
        while self._expected and self._expected[-1] < self.total + self.skipped:
            self._expected.pop()
        return min(self.due, self._expected[-1] - 1) if self._expected else self.due
