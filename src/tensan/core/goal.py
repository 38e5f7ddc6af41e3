"""What a run is for, as the user states it: a metric, the value that it shall reach, and the steps that it has for that."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Protocol

import msgspec

from tensan.core.actions import Action

#: The metric that needs no word from the program.
LOSS = "loss"
_FORM = re.compile(r"\s*(?P<metric>[^<>=]*?\S)\s*(?P<sign>[<>])=?\s*(?P<floor>[-+.\deE]+)\s+by\s+(?:step\s+)?(?P<deadline>\d+)\s*")


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """A goal.

    Attributes:
        falls: whether the metric is to fall, as a loss is.
        floor: the value that it shall reach at least.
        deadline: optimizer steps in which it shall.
    """

    metric: str
    falls: bool
    floor: float
    deadline: int

    def __str__(self) -> str:
        return f"{self.metric} {'<' if self.falls else '>'} {self.floor:g} by {self.deadline}"

    def better(self, value: float, other: float) -> bool:
        """Tells whether a value is nearer to what is wanted than another."""
        return value < other if self.falls else value > other

    def is_met_by(self, value: float) -> bool:
        """Tells whether a value is what is wanted."""
        return value <= self.floor if self.falls else value >= self.floor


class Fault(msgspec.Struct, kw_only=True):
    """What a fault has cost, measured on the goal's metric.

    Attributes:
        step: steps done when it began; actions: what was done, with how often.
        before: what the metric stood at; worst: the farthest that it was thrown back since.
        severity: how far that is, as a part of the way that was left to the goal.
        latency: steps until the metric stood where it had stood; None where it does not yet.
    """

    step: int
    actions: dict[str, int]
    before: float | None = None
    worst: float | None = None
    severity: float | None = None
    latency: int | None = None


class Progress(msgspec.Struct, kw_only=True):
    """How a run stands to its goal.

    Attributes:
        value: what the metric stands at; None where it was never measured. best: the best that it stood at.
        reached: steps done when it first was what is wanted.
        state: `open`, `reached`, `missed`, `unmeasured` or `out of reach`.
        why: where it is out of reach, what shows it.
        proposed: a goal that is within reach at the pace of this run; it is never set.
    """

    goal: str
    state: str = "unmeasured"
    value: float | None = None
    best: float | None = None
    reached: int | None = None
    why: str = ""
    proposed: str = ""
    faults: list[Fault] = []


class Pursuit(Protocol):
    """Follows a run to its goal."""

    goal: Goal

    def measured(self, value: float, *, step: int) -> None:
        """The metric was measured."""
        ...

    def acted(self, action: Action) -> None:
        """Something was done to keep the run alive."""
        ...

    def progress(self, *, step: int) -> Progress:
        """Returns how the run stands."""
        ...


def parse(text: str) -> Goal:
    """Reads a goal.

    Raises:
        ValueError: when it is none.
    """
    found = _FORM.fullmatch(text)
    try:
        floor = float(found["floor"]) if found is not None else math.nan
    except ValueError:
        floor = math.nan
    if found is None or not math.isfinite(floor) or int(found["deadline"]) < 1:
        form = "expected METRIC < VALUE by STEPS, or > for one that shall rise, such as `loss < 0.5 by 2000`"
        raise ValueError(f"{form}, got {text!r}")
    return Goal(metric=found["metric"], falls=found["sign"] == "<", floor=floor, deadline=int(found["deadline"]))


def lines(progress: Progress) -> Iterator[str]:
    """Yields what a report says of a goal."""
    stands = f"; it stands at {progress.value:.4g}, and was at best {progress.best:.4g}" if progress.value is not None else ""
    words = {
        "reached": f"reached after {progress.reached} steps{stands}",
        "missed": f"missed: not reached by then{stands}",
        "open": f"not yet reached{stands}",
        "out of reach": f"out of reach at the pace of this run{stands}: {progress.why}",
        "unmeasured": "never measured: `loss` is read where it is differentiated unscaled, others are told by `tensan.measured`",
    }
    yield f"goal: {progress.goal}: {words[progress.state]}"
    if progress.proposed:
        yield f"goal: within reach at that pace, proposed and not set: {progress.proposed}"
    for fault in progress.faults:
        done = ", ".join(f"{kind} {count} times" if count > 1 else kind for kind, count in fault.actions.items())
        if fault.before is None or fault.worst is None or fault.severity is None:
            yield f"goal: fault at step {fault.step} ({done}): not measured before and after it"
            continue
        back = f"back after {fault.latency} steps" if fault.latency is not None else "not yet back"
        thrown = f"from {fault.before:.4g} to {fault.worst:.4g}, {100 * fault.severity:.0f} % of the way left"
        yield f"goal: fault at step {fault.step} ({done}): {thrown if fault.severity > 0 else 'not thrown back'}; {back}"
