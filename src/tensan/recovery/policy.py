"""The policy: the smallest action that puts a bad step right, and an end where none does."""

from __future__ import annotations

from collections import deque
from statistics import median

from tensan.core.gate import Passage, Ruling, Verdict
from tensan.recovery.breaker import Breaker
from tensan.recovery.course import Course

#: Bad steps in a row, the weights being finite, after which leaving data out is not enough: the weights may stand at a cliff.
PERSISTENT = 3
#: Steps before an odd one that are trusted no more than it.
CALM = 10
#: Norms of which the median is taken, and how many there must be before one can be too large.
REMEMBERED = 100
LEAST_REMEMBERED = 20


class Policy:
    """Judges steps, each optimizer's by a breaker of its own.

    Args:
        rewinds: whether going back to a snapshot is allowed.
        bad_steps: bad steps without calm between them after which the run is stopped.
        spike: how many times the usual norm a gradient may have; None for any.
        interval: steps in which one false alarm is put up with, where a loss or norm that is finite leaves its course; 0 looks at neither.
    """

    def __init__(self, *, rewinds: bool, bad_steps: int, spike: float | None = None, interval: int = 0) -> None:
        self._rewinds, self._bad_steps, self._spike = rewinds, bad_steps, spike
        self._breakers: dict[str, Breaker] = {}
        self._interval = interval
        self._courses: dict[str, Course] = {}
        self._norms: dict[str, deque[float]] = {}

    def breaker(self, optimizer: str) -> Breaker:
        """Returns the breaker of an optimizer."""
        return self._breakers.setdefault(optimizer, Breaker(most_bad=self._bad_steps))

    def judge(self, passage: Passage) -> Verdict | Ruling:
        """Says what becomes of a step."""
        breaker = self.breaker(passage.optimizer)
        if passage.nonfinite <= 0 and not self._is_spike(passage):
            return self._stays_on_course(passage, breaker)
        if not breaker.bad():
            return Verdict.STOP
        if self._rewinds and passage.rewindable and (not passage.healthy or breaker.in_a_row % PERSISTENT == 0):
            return Verdict.REWIND if breaker.rewind() else Verdict.STOP
        return Verdict.SKIP if passage.healthy else Verdict.STOP

    def _stays_on_course(self, passage: Passage, breaker: Breaker) -> Verdict | Ruling:
        """Judges a step that is finite. None of these ends a run: what is unusual may still be right."""
        if not self._interval or passage.what != "gradient":
            breaker.good()
            return Verdict.PROCEED
        course = self._courses.setdefault(passage.optimizer, Course(interval=self._interval))
        concern = course.concern(passage)
        if concern is None:
            breaker.good()
            return Verdict.PROCEED
        if not breaker.bad():
            course.let_go()
            return Ruling(verdict=Verdict.PROCEED, why=concern.why)
        persists = breaker.in_a_row % PERSISTENT == 0  # though the data were left out: it is the weights
        if concern.before is None and not (persists and passage.rewindable):
            return Ruling(verdict=Verdict.SKIP, why=concern.why)
        if passage.rewindable and breaker.rewind():
            course.taken_back()
            before = passage.step - breaker.in_a_row - CALM if concern.before is None else concern.before
            return Ruling(verdict=Verdict.REWIND, why=concern.why, before=before)
        course.let_go()
        return Ruling(verdict=Verdict.PROCEED, why=concern.why)

    def _is_spike(self, passage: Passage) -> bool:
        if self._spike is None or passage.what != "gradient" or passage.nonfinite > 0:
            return False
        norms = self._norms.setdefault(passage.optimizer, deque(maxlen=REMEMBERED))
        high = len(norms) >= LEAST_REMEMBERED and passage.norm > self._spike * median(norms)
        if not high:  # what was turned away must not make the next one look usual
            norms.append(passage.norm)
        return high
