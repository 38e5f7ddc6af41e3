"""Whether a run keeps its course: the loss and the gradient's norm of one optimizer, and what to do where they leave it."""

from __future__ import annotations

from collections import deque

import msgspec

from tensan.core.gate import Passage
from tensan.recovery.detectors import Spike
from tensan.recovery.monitor import Alarm, Monitor

#: Steps after an alarm in which a step that is as far off as this, in scales, is left out without more ado.
PROBATION = 20
_OFF = 4.0
#: A rate that is so many times what it was so many steps ago has risen; up to what was good for as long, that is the schedule's affair.
_RISEN = 1.3
_RISKY = 3.0
_AGO = 10


class Concern(msgspec.Struct, frozen=True, kw_only=True):
    """A step that is finite and not as usual.

    Attributes:
        why: for the report.
        before: steps done before the course was left; None where a single step is odd, so that leaving it out is enough.
        is_alarm: whether it is by itself, and not only shortly after another one.
    """

    why: str
    before: int | None = None
    is_alarm: bool = False


class Course:
    """The streams of one optimizer.

    Args:
        interval: steps between two false alarms that the user puts up with.
    """

    def __init__(self, *, interval: float) -> None:
        # The norm may well grow for long while all is well: of it only a jump counts.
        self._monitors = {
            "loss": Monitor(interval=2 * interval),
            "gradient's norm": Monitor(interval=2 * interval, detectors=(Spike(),)),
        }
        self._probation = 0
        self._rates: deque[float] = deque(maxlen=_AGO)
        self._proven = 0.0

    def concern(self, passage: Passage) -> Concern | None:
        """Takes the figures of a step that wants to take effect; returns what is wrong with it."""
        values = {"loss": passage.loss, "gradient's norm": passage.norm or None}
        self._follow(passage.rate)
        found: Concern | None = None
        for name, value in values.items():
            if value is None:
                continue
            monitor = self._monitors[name]
            alarm = monitor.update(value)
            if alarm is not None:
                concern = Concern(why=_why(name, alarm), before=passage.step - alarm.since if alarm.since else None, is_alarm=True)
                found = concern if found is None or concern.before is not None else found
            elif found is None and self._probation and monitor.surprise > _OFF:
                found = Concern(why=f"the {name} is {value:.4g}, {monitor.surprise:.2g} scales off, shortly after an alarm")
        self._probation = PROBATION if found is not None and found.is_alarm else max(0, self._probation - 1)
        if found is None:
            self._proven = max(self._proven, min(self._rates, default=0.0)) if len(self._rates) == _AGO else self._proven
        return found

    def taken_back(self) -> None:
        """The run has gone back: what follows is compared with what was usual before."""
        for monitor in self._monitors.values():
            monitor.take_back()
        self._rates.clear()
        self._probation = PROBATION

    def let_go(self) -> None:
        """Going back has not helped: what comes now is the run's course."""
        for monitor in self._monitors.values():
            monitor.pause()
        self._probation = 0

    def _follow(self, rate: float) -> None:
        rises = bool(self._rates) and rate > _RISEN * self._rates[0]
        if rises and rate <= 1.01 * self._proven:  # a warm restart
            for monitor in self._monitors.values():
                monitor.pause()
        elif rises and rate > _RISKY * self._proven > 0:
            self._monitors["loss"].alert()
        self._rates.append(rate)


def _why(name: str, alarm: Alarm) -> str:
    what = {"spike": "jumped to", "drift": "drifted to", "burst": "scatters, and came to"}.get(alarm.detector, "came to")
    return f"the {name} {what} {alarm.value:.4g}, where {alarm.usual:.4g} is usual (once in {alarm.once_in:.1e} healthy steps)"
