"""OPT111: the schedule is stepped before the optimizer, so that the first rate is skipped."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.events.training import OptimizerStep, ScheduleStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import line_of, name_given
from tensan.rules.repairs import moved_after

#: Stepped with a measurement rather than in turn with the optimizer.
_BY_METRIC = frozenset({"ReduceLROnPlateau"})


class _Order(msgspec.Struct):
    """How a schedule is stepped; `first` is its first step where that came before any step of the optimizer."""

    first: ScheduleStep | None = None
    sound: bool = False
    told: bool = False


class ScheduleBeforeOptimizer(Rule):
    """
    ## What it does

    Finds loops that step the learning-rate schedule before the optimizer.

    ## Why is this bad?

    The first rate of the schedule is never used, and every later one comes a step too early. With a schedule per epoch, or
    with few and large steps, this is a real loss: a decay by 10 at the first epoch throws the largest rate away.

    ## Example

    ```python
    for epoch in range(epochs):
        scheduler.step()
        train_epoch(model, optimizer)
    ```

    ## Use instead

    ```python
    for epoch in range(epochs):
        train_epoch(model, optimizer)
        scheduler.step()
    ```

    ## Known problems

    A schedule that is wound forward before training, to resume a run, is stepped several times in a row or at a line of its
    own, and is not told.
    """

    code = "OPT111"
    name = "schedule-before-optimizer"
    category = Category.SUSPICIOUS
    law = 10
    effect = "wrong-rate"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._orders: dict[str, _Order] = {}
        self._stepped_at: dict[str, Place] = {}
        self._called: dict[str, str] = {}

    def on_optimizer_step(self, event: OptimizerStep) -> None:
        self._stepped_at[event.optimizer.id] = event.site
        if event.optimizer.id not in self._called:
            self._called[event.optimizer.id] = name_given(event.optimizer.made, "optimizer")

    def on_schedule_step(self, event: ScheduleStep) -> Iterator[Finding]:
        scheduler = event.scheduler
        if scheduler.driven or scheduler.kind in _BY_METRIC:
            return
        self.armed = True
        order = self._orders.setdefault(scheduler.id, _Order())
        if order.sound:
            return
        if order.first is None:
            order.first, order.sound = (event, False) if event.attempts == 0 else (None, True)
            return
        if event.attempts == 0 or line_of(_place(event)) != line_of(_place(order.first)):
            order.sound = True  # wound forward before training
            return
        if not order.told:
            order.told = True
            yield self._finding(order.first)
        yield self._finding(event)

    def _finding(self, event: ScheduleStep) -> Finding:
        scheduler = event.scheduler
        called = name_given(scheduler.made, "scheduler")
        optimizer = self._called.get(scheduler.optimizer, "optimizer")
        return self.finding(
            f"{scheduler.kind} is stepped before its optimizer: the first rate is never used",
            at=_place(event) or scheduler.made,
            event=event,
            label="comes before the step that should use the rate",
            evidence={"optimizer steps before the first": 0},
            related=[
                ("the optimizer steps here", self._stepped_at.get(scheduler.optimizer)),
                (f"{scheduler.kind} was made here", scheduler.made),
            ],
            proof_note="the optimizer had not been asked to step when the schedule was first stepped, and the order is the same since",
            help=f"move `{called}.step()` after `{optimizer}.step()`",
            subjects=[scheduler.id, scheduler.optimizer],
            repairs=moved_after(_place(event), self._stepped_at.get(scheduler.optimizer)),
        )


def _place(event: ScheduleStep) -> Place:
    return event.site if event.site is not None else event.scheduler.stepped
