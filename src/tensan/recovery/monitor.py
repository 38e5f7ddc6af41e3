"""Watches one stream of figures, such as the loss: alarms once in so many healthy steps as the user has said, and on faults."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import msgspec

from tensan.recovery.arbitration import SETTLES, Arbiter
from tensan.recovery.detectors import Detector, usual
from tensan.recovery.whitening import Whitening

#: Steps after an alarm that belong to it.
REST = 16
#: What an alarm raises the threshold by, in logarithms of steps, and what it may move by at most: so many alarms as were agreed on leave
#: it as it is, and no fault, however long, makes the stream deaf.
_RAISES = 0.2
_LOWEST, _HIGHEST = -0.5, 1.5
#: Evidence of a single detector, beyond the threshold, that is followed whatever the others say.
_ALONE = 3.0
#: Steps for which a risky change puts a stream on alert, and evidence that is enough then, as the logarithm of healthy steps.
ALERT = 100
_ON_ALERT = math.log(500.0)
#: Entries of the audit log.
MOST_ENTRIES = 256
#: A threshold that has moved by so much since it was last written down is written down.
_MOVED = 0.2


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Something of the audit log.

    Attributes:
        step: values seen before.
        kind: `alarm`, `threshold`, `level` or `taken back`.
        text: what, with the figures.
    """

    step: int
    kind: str
    text: str


class Alarm(msgspec.Struct, frozen=True, kw_only=True):
    """A stream is not what it was.

    Attributes:
        step: values seen before.
        detector: the one that says most.
        since: steps over which that was gathered; 0 where this value says it by itself.
        once_in: steps in which a healthy stream gives as much once.
        value, usual: what came, and what was to be expected.
    """

    step: int
    detector: str
    since: int
    once_in: float
    value: float
    usual: float


class Monitor:
    """One stream.

    Args:
        interval: steps between two false alarms that the user puts up with.
        detectors: what looks at it; by default for spikes, drifts and bursts.
        floor: a value less than so much above the usual, relative to it, is never worth an alarm.
    """

    def __init__(self, *, interval: float, detectors: Sequence[Detector] | None = None, floor: float = 0.02) -> None:
        self._whitening = Whitening()
        self._arbiter = Arbiter(detectors if detectors is not None else usual(), interval=interval)
        self._threshold = self._base = math.log(interval)
        self._falls = _RAISES / interval
        self._floor = floor
        self._rest = self.steps = 0
        self.surprise = 0.0
        self._alert = 0
        self._written = 0.0
        self._lasting: list[float] = []
        self.log: deque[Entry] = deque(maxlen=MOST_ENTRIES)

    def update(self, value: float) -> Alarm | None:
        """Takes the next value; returns an alarm where one is due."""
        self.steps += 1
        whitening = self._whitening
        if not math.isfinite(value):
            return self._alarm(value, 50.0)
        surprise = self.surprise = whitening.residual(value)
        if not whitening.is_ready:
            return None
        if not self.steps % SETTLES:
            self._arbiter.settle()
            self._audit()
        evidence = self._arbiter.evidence(surprise, value, resting=self._rest > 0)
        if self._rest:
            self._rests(value)
            return None
        if self._threshold > self._base + _LOWEST:
            self._threshold -= self._falls
        threshold = self._threshold
        if self._alert:
            self._alert -= 1
            threshold = min(threshold, _ON_ALERT)
        if (evidence < threshold and self._arbiter.strongest < self._base + _HIGHEST + _ALONE) or math.asinh(
            value / whitening.unit
        ) < whitening.level + self._floor:
            return None
        return self._alarm(value, evidence)

    def take_back(self) -> None:
        """The run has gone back: what was gathered belongs to what is undone."""
        self._arbiter.reset()
        self._rest = self._alert = 0
        self.log.append(Entry(step=self.steps, kind="taken back", text="what was gathered is dropped, what is usual stays"))

    def alert(self) -> None:
        """Something has changed that makes a fault likely: for a while less evidence will do."""
        self._alert = ALERT

    def pause(self) -> None:
        """Something has changed on purpose: nothing is told for a while, and what comes then is usual."""
        self._rest = REST
        self._lasting.clear()

    def _rests(self, value: float) -> None:
        """What lasts through the whole rest, and was not taken back, is how the stream is now."""
        self._rest -= 1
        self._lasting.append(value)
        if not self._rest and self._whitening.is_ready and self._whitening.anchor(self._lasting):
            self._arbiter.reset()
            self.log.append(Entry(step=self.steps, kind="level", text="what came after the alarm has lasted, and is usual from now on"))

    def _alarm(self, value: float, evidence: float) -> Alarm:
        usual = math.sinh(self._whitening.level) * self._whitening.unit
        loudest = self._arbiter.loudest if math.isfinite(value) else None
        name, since = (loudest.name, loudest.since) if loudest is not None else ("not finite", 0)
        self._arbiter.reset()
        self._rest = REST
        self._lasting.clear()
        self._threshold = min(self._threshold + _RAISES, self._base + _HIGHEST)
        alarm = Alarm(step=self.steps - 1, detector=name, since=since, once_in=math.exp(min(evidence, 50.0)), value=value, usual=usual)
        self.log.append(
            Entry(step=alarm.step, kind="alarm", text=f"{name}: {value:.6g} where {usual:.6g} is usual, once in {alarm.once_in:.3g}")
        )
        return alarm

    def _audit(self) -> None:
        limit = self._arbiter.calibration.limit
        if abs(limit - self._written) > _MOVED * abs(self._written):
            self._written = limit
            self.log.append(Entry(step=self.steps, kind="threshold", text=f"evidence of {limit:.4g} is met once in the stated interval"))
