"""The breaker: bounds how often the run is helped on, so that no run goes on for ever without learning."""

from __future__ import annotations

from enum import Enum


class State(Enum):
    """Closed: all is well. Open: steps are being turned away. Half-open: good steps again, on probation."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


class Breaker:
    """Counts the bad steps and the rewinds of one episode, which ends with so many good steps in a row.

    Args:
        most_bad: bad steps of an episode that are put up with.
        most_rewinds: rewinds of an episode that are tried.
        calm: good steps in a row that end it.
    """

    def __init__(self, *, most_bad: int, most_rewinds: int = 3, calm: int = 10) -> None:
        self._most_bad, self._most_rewinds, self._calm = most_bad, most_rewinds, calm
        self.state = State.CLOSED
        self.bad_steps = self.rewinds = self.in_a_row = self._good = 0
        self._rewound = False

    def good(self) -> None:
        """A good step passes."""
        self.in_a_row, self._rewound = 0, False
        if self.state is State.CLOSED:
            return
        self.state = State.HALF_OPEN
        self._good += 1
        if self._good >= self._calm:
            self.state = State.CLOSED
            self.bad_steps = self.rewinds = 0

    def bad(self) -> bool:
        """A bad step was met; returns whether the run may go on."""
        self.state, self._good = State.OPEN, 0
        self.bad_steps += 1
        self.in_a_row += 1
        return self.bad_steps <= self._most_bad

    def rewind(self) -> bool:
        """A rewind is wanted; returns whether one more may be tried. Those with no good step between them are one try."""
        self.rewinds += not self._rewound
        self._rewound = True
        return self.rewinds <= self._most_rewinds
