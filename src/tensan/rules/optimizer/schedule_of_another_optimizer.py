"""OPT115: the schedule that is stepped moves the rate of an optimizer that never steps, since another one trains its parameters."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import RunEnd
from tensan.core.events.things import Optimizer, Scheduler
from tensan.core.events.training import OptimizerBuilt, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import counted, name_given

_LEAST_SCHEDULE_STEPS = 2
_LEAST_STEPS = 3
#: Steps of a schedule in a row without one of its optimizer: of a sparse one, as a discriminator's, there are a few.
_LEAST_ASTRAY = 5


class ScheduleOfAnotherOptimizer(Rule):
    """
    ## What it does

    Finds learning-rate schedules whose optimizer never steps, or no more, while another optimizer trains the same parameters at a
    constant rate.

    ## Why is this bad?

    A schedule moves the rate of the very optimizer object that it was made with. Where that object was replaced later, the
    schedule is stepped and has no effect.

    ## Example

    ```python
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    ```

    ## Use instead

    ```python
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    ```

    ## Known problems

    Only told where both optimizers hold some parameter in common: a schedule of an optimizer of its own may be there to be
    looked at.
    """

    code = "OPT115"
    name = "schedule-of-another-optimizer"
    category = Category.CORRECTNESS
    law = 10
    effect = "wrong-rate"
    explains = frozenset({"wrong-rate"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._built: dict[str, Optimizer] = {}
        self._rates: dict[str, set[tuple[float, ...]]] = {}
        self._steps: dict[str, int] = {}
        self._stepped_at: dict[str, Place] = {}
        self._trains_for: dict[str, str] = {}

    def on_optimizer_built(self, event: OptimizerBuilt) -> None:
        self._built[event.optimizer.id] = event.optimizer

    def on_optimizer_step(self, event: OptimizerStep) -> None:
        optimizer = event.optimizer
        self._built[optimizer.id] = optimizer
        self._rates.setdefault(optimizer.id, set()).add(optimizer.rates)
        self._steps[optimizer.id] = self._steps.get(optimizer.id, 0) + 1
        self._stepped_at[optimizer.id] = event.site
        for owner in (owner for leaf in event.with_gradient for owner in leaf.owners):
            if owner != optimizer.id:
                self._trains_for[owner] = optimizer.id

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        last = {optimizer.id: optimizer.rates for optimizer in event.optimizers}
        driving = {scheduler.optimizer for scheduler in event.schedulers if scheduler.steps and scheduler.optimizer_steps}
        for scheduler in event.schedulers:
            if scheduler.driven or scheduler.steps < _LEAST_SCHEDULE_STEPS:
                continue
            self.armed = True
            other = self._trains_for.get(scheduler.optimizer)
            if other is None or other in driving or self._steps[other] < _LEAST_STEPS:
                continue
            rates = self._rates[other] | ({last[other]} if last.get(other) else set())
            if len(rates) > 1:
                continue
            if not scheduler.optimizer_steps and not self._steps.get(scheduler.optimizer):
                yield self._finding(scheduler, self._built[other], event)
            elif scheduler.astray >= _LEAST_ASTRAY and self._is_later(other, scheduler) and scheduler.last not in next(iter(rates)):
                yield self._left_finding(scheduler, self._built[other], event)

    def _is_later(self, other: str, scheduler: Scheduler) -> bool:
        """Tells whether an optimizer was built after the one that a schedule moves: it has taken its place."""
        own = self._built.get(scheduler.optimizer)
        return own is not None and self._built[other].born > own.born

    def _left_finding(self, scheduler: Scheduler, trains: Optimizer, event: RunEnd) -> Finding:
        called = name_given(trains.made, "optimizer")
        return self.finding(
            f"{scheduler.kind} goes on to move the rate of an optimizer that steps no more: another {trains.kind} trains in its place",
            at=scheduler.stepped or trains.made,
            event=event,
            label="moves nothing that is trained with",
            evidence={"schedule steps": scheduler.steps, "of them in vain": scheduler.astray, "rate": list(trains.rates[:4])},
            related=[
                ("the schedule was made for the optimizer before it", scheduler.made),
                ("the one that trains was built here", trains.made),
            ],
            proof_note=f"the last {counted(scheduler.astray, 'schedule step')} came without a step of its optimizer, while "
            f"{self._steps[trains.id]} steps of the new one were seen at one rate",
            help=f"add the new parameters to the optimizer that there is, by `add_param_group`, or make a schedule for the new `{called}`",
            subjects=[scheduler.id, scheduler.optimizer, trains.id],
        )

    def _finding(self, scheduler: Scheduler, trains: Optimizer, event: RunEnd) -> Finding:
        own = self._built.get(scheduler.optimizer)
        called = name_given(trains.made, "optimizer")
        return self.finding(
            f"{scheduler.kind} moves the rate of an optimizer that never steps: {trains.kind}, built elsewhere, trains its parameters",
            at=scheduler.made,
            event=event,
            label=f"made for {'another ' if own is not None and own.kind == trains.kind else ''}{own.kind if own is not None else 'one'} "
            f"than the one that trains",
            evidence={"schedule steps": scheduler.steps, "rate": list(trains.rates[:4])},
            related=[
                (f"the {trains.kind} that trains was built here", trains.made),
                ("it steps here", self._stepped_at.get(trains.id)),
            ],
            proof_note=f"{counted(scheduler.steps, 'schedule step')}, no step of its optimizer, and a constant rate of the other one",
            help=f"make the schedule for the `{called}` that is stepped, after that one was built",
            subjects=[scheduler.id, scheduler.optimizer, trains.id],
        )
