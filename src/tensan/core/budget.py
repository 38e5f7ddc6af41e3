"""The budget: what watching may cost, as a share of the process's CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Part of what is earned that work which may wait can always spend, whatever each step takes of itself.
KEPT = 0.5


class Budget:
    """Keeps what has been spent against what has been earned.

    Every nanosecond of the process's CPU time earns `share` nanoseconds. Work that must be done is charged like any
    other and repaid by waiting; work that may wait is done only where `allows` says so.

    Args:
        share: part of the process's CPU time that watching may take, 0.01 for 1 %.
        clock: CPU time of the process in nanoseconds; tests give a fake one.
    """

    def __init__(self, share: float, *, clock: Callable[[], int] = time.process_time_ns) -> None:
        self.share = share
        self.spent = 0
        self._fixed = 0
        self._clock = clock
        self._began = clock()

    @property
    def elapsed(self) -> int:
        """CPU nanoseconds of the process since the watch began."""
        return self._clock() - self._began

    @property
    def left(self) -> int:
        """Nanoseconds that may be spent now; negative while a debt is being repaid."""
        return int(self._allowance) - self.spent + self._fixed

    @property
    def used_share(self) -> float:
        """Share of the process's CPU time that was spent on watching."""
        return self.spent / max(self.elapsed, 1)

    def part(self, share: float) -> float:
        """Returns the share of the process's CPU time that a part of the budget is: half of that while a debt is repaid.

        Args:
            share: of the budget, for work that goes on all the time.
        """
        return max(self.share * share * (1 if self.allows(0) else 0.5), 1e-9)

    def backdate(self, nanoseconds: int) -> None:
        """Counts CPU time from before the watch: what a parent process did for the program, such as an import."""
        self._began -= nanoseconds

    def charge(self, nanoseconds: int) -> None:
        """Counts work that was done."""
        self.spent += nanoseconds

    def charge_fixed(self, nanoseconds: int) -> None:
        """Counts what each step takes and no waiting can save: what may wait gives way to it, down to its kept part."""
        self.spent += nanoseconds
        self._fixed += nanoseconds

    def allows(self, nanoseconds: int) -> bool:
        """Tells whether work of that size fits into what has been earned and not yet spent."""
        return self.spent - self._fixed + nanoseconds <= self._allowance

    def steps_until(self, nanoseconds: int, *, per_step: int) -> int:
        """Returns after how many steps of a given length work of a given size may fit, if they take nothing of themselves.

        Args:
            nanoseconds: cost of the work.
            per_step: CPU nanoseconds of one step.
        """
        missing = nanoseconds - self.left
        if missing <= 0 or self.share <= 0:
            return 0 if self.share > 0 else 1 << 30
        return int(missing / (self.share * max(per_step, 1))) + 1

    @property
    def _allowance(self) -> float:
        earned = self.elapsed * self.share
        return earned - min(self._fixed, earned * (1 - KEPT))
