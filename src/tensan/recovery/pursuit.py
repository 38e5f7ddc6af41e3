"""Follows a run to its goal: where it stands, what faults have cost it, and whether the goal is still within reach."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import deque
from statistics import median

import msgspec

from tensan.core.actions import Action
from tensan.core.goal import LOSS, Fault, Goal, Progress

#: Values of a loss, which is another in each batch, whose median is where it stands; other metrics stand at what was measured last.
_SMOOTHED = 15
#: Points of the way so far that are kept; then every other one is dropped.
_MOST_POINTS = 2_048
#: Actions that are a fault's. Those that are at most so many steps apart are one fault's.
_OF_FAULTS = frozenset({"skip", "rewind", "let go", "heal", "stop"})
_APART = 20
_MOST_FAULTS = 20
#: Part of the run so far that is no measure of its pace: the first drop is never seen again.
_FIRST_PART = 0.25
#: Points that there must be before anything is said of the pace.
_LEAST_POINTS = 40
#: How many times the best gain of any stretch as long as what is left must be needed, before the goal is called out of reach.
_BEYOND = 1.5


class Following:
    """The pursuit of one goal.

    Args:
        goal: what is pursued.
    """

    def __init__(self, goal: Goal) -> None:
        self.goal = goal
        self._recent: deque[float] = deque(maxlen=_SMOOTHED if goal.metric == LOSS else 1)
        self._way: list[tuple[int, float]] = []
        self._every, self._count = 1, 0
        self._reached: int | None = None
        self._best: float | None = None
        self._faults: list[Fault] = []
        self._last_action = 0

    def measured(self, value: float, *, step: int) -> None:
        """The metric was measured."""
        if not math.isfinite(value):
            return
        self._recent.append(value)
        stands, goal = median(self._recent), self.goal
        self._count += 1
        if self._count % self._every == 0:
            self._way.append((step, stands))
            if len(self._way) > _MOST_POINTS:
                del self._way[1::2]
                self._every *= 2
        if len(self._recent) < (self._recent.maxlen or 1):
            return
        if self._best is None or goal.better(stands, self._best):
            self._best = stands
        if self._reached is None and goal.is_met_by(stands):
            self._reached = step
        if self._faults:
            self._follow(self._faults[-1], stands, step)

    def acted(self, action: Action) -> None:
        """Something was done to keep the run alive."""
        if action.kind not in _OF_FAULTS:
            return
        last = self._faults[-1] if self._faults else None
        if last is None or (action.step - self._last_action > _APART and last.latency is not None):
            if len(self._faults) >= _MOST_FAULTS:
                return
            before = median(self._recent) if self._recent else None
            last = Fault(step=action.step, actions={}, before=before)
            self._faults.append(last)
            self._recent.clear()  # what the metric is from now on must not be hidden by what it was
        self._last_action, last.latency = action.step, None
        last.actions[action.kind] = last.actions.get(action.kind, 0) + 1

    def _follow(self, fault: Fault, stands: float, step: int) -> None:
        if fault.before is None or fault.latency is not None:
            return
        goal, before = self.goal, fault.before
        if fault.worst is None or goal.better(fault.worst, stands):
            fault.worst = stands
        way = abs(before - goal.floor) or abs(before) or 1.0
        fault.severity = max(0.0, (fault.worst - before if goal.falls else before - fault.worst) / way)
        if not goal.better(before, stands) or abs(stands - before) <= self._noise():
            fault.latency = max(0, step - len(self._recent) + 1 - fault.step)  # where the values begin that stand so

    def _noise(self) -> float:
        """Returns what a median of the last values may be off by chance."""
        middle, count = median(self._recent), len(self._recent)
        return 1.5 * median(abs(value - middle) for value in self._recent) / math.sqrt(count) if count > 1 else 0.0

    def progress(self, *, step: int) -> Progress:
        """Returns how the run stands."""
        stands = median(self._recent) if self._recent else self._way[-1][1] if self._way else None
        progress = Progress(goal=str(self.goal), value=stands, best=self._best, reached=self._reached, faults=list(self._faults))
        if stands is None:
            return progress
        if self._reached is not None and self._reached <= self.goal.deadline:
            progress.state = "reached"
        elif step >= self.goal.deadline:
            progress.state = "missed"
        else:
            progress.state = "open"
            self._judge_pace(progress, step=step)
        return progress

    def _judge_pace(self, progress: Progress, *, step: int) -> None:
        """No stretch of the run so far, as long as what is left, has gained what is needed: then the goal is out of reach."""
        left = self.goal.deadline - step
        way = [point for point in self._way if point[0] >= _FIRST_PART * step]
        if len(way) < _LEAST_POINTS or way[-1][0] - way[0][0] < left:
            return
        values = [self._scaled(value) for _, value in way]
        steps = [at for at, _ in way]
        gains = [values[end] - values[start] for start, at in enumerate(steps) if (end := bisect_left(steps, at + left)) < len(steps)]
        best, now, wanted = max(gains, default=0.0), max(values[-5:]), self._scaled(self.goal.floor)
        if not gains or wanted - now <= max(_BEYOND * best, 0.0):
            return
        progress.state = "out of reach"
        told = self._unscaled(now + max(best, 0.0))
        progress.why = (
            f"{left} steps are left, and the best that any {left} steps since step {steps[0]} have made of it would lead to {told:.4g}"
        )
        progress.proposed = str(msgspec.structs.replace(self.goal, floor=told))

    def _scaled(self, value: float) -> float:
        """Returns a value such that equal gains are equally hard: of what falls towards nought, a part of itself; and more is better."""
        if self.goal.falls and self.goal.floor > 0:
            return -math.log(max(value, 1e-30))
        return -value if self.goal.falls else value

    def _unscaled(self, value: float) -> float:
        if self.goal.falls and self.goal.floor > 0:
            return math.exp(-value)
        return -value if self.goal.falls else value
