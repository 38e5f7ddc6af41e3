"""OPT140: a schedule does not end where training ends: it is spent long before, rises again, or hardly begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from tensan.core.events.data import EpochStart
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Scheduler
from tensan.core.events.training import OptimizerStep
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Epochs, Rates, counted, name_given
from tensan.rules.optimizer.schedule_in_wrong_unit import Run, confusion, run_of

#: Steps at a rate of zero that are no rounding of the end, and the share of training that they are at least.
_LEAST_SPENT = 10
_SHARE_SPENT = 0.15
#: Moves of the schedule after its end: a plan that is one epoch too short has one or two.
_MOVES_AFTER_END = 3
#: A rate that has fallen to a tenth of the largest and ends above a third of it has risen again.
_FALLEN, _RISEN = 0.1, 1 / 3
_TOO_LONG = 1.2
#: Half turns from which on a cosine goes round: rates that come again, twice and more, are as often meant as not.
_GOES_ROUND = 4
#: So many times longer than training a plan has to be, and training so long, that stopping early does not account for it.
_HARDLY_BEGUN = 8
#: Twice that for rates that fall in jumps: their length is often left as an example had it.
_HARDLY_BEGUN_IN_JUMPS = 16
_LEAST_STEPS = 20

_RISES_AGAIN = frozenset({"CosineAnnealingLR", "LambdaLR", "SequentialLR"})
_HAS_A_PLAN = frozenset({"CosineAnnealingLR", "OneCycleLR", "PolynomialLR", "LinearLR", "LambdaLR", "SequentialLR", "StepLR"})
_WARM_UPS = frozenset({"LinearLR", "LambdaLR", "ConstantLR"})


class _Verdict(msgspec.Struct, frozen=True):
    message: str
    label: str
    seen: str
    help: str
    proof: Proof


class ScheduleOfAnotherLength(Rule):
    """
    ## What it does

    Compares where a learning-rate schedule had got to with where training ended, once the run has completed: rates below zero,
    a rate of zero for the rest of training, a cosine that has risen again, a plan many times longer than the run.

    ## Why is this bad?

    At a rate of zero the steps change nothing, and below zero each of them climbs the loss. A cosine that is stepped past its
    end rises again, so that training ends at a large rate. A plan that is far too long leaves the rate as it was.

    ## Example

    ```python
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=len(loader))
    for epoch in range(10):
        for x, y in loader:
            train_step(x, y)
            scheduler.step()
    ```

    ## Use instead

    ```python
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=10 * len(loader))
    for epoch in range(10):
        for x, y in loader:
            train_step(x, y)
            scheduler.step()
    ```

    ## Known problems

    Where one unit was taken for another, `schedule-in-wrong-unit` says so instead. A cosine that goes round twice and more is taken to
    be meant. A plan that is too long is told only where it is
    eight times as long as a run whose loops nothing leaves early, and never where the run was stopped.
    """

    code = "OPT140"
    name = "schedule-of-another-length"
    category = Category.CORRECTNESS
    law = 10
    effect = "wrong-rate"
    explains = frozenset({"no-update"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._rates = Rates()
        self._epochs = Epochs()

    def on_epoch_start(self, event: EpochStart) -> None:
        self._epochs.begin(event.loader)

    def on_optimizer_step(self, event: OptimizerStep) -> None:
        self._rates.seen(event.optimizer)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        if event.status != "completed":
            return
        loaders = list(self._epochs.merged(event.loaders).values())
        rates = {optimizer.id: max(optimizer.rates) for optimizer in event.optimizers if optimizer.rates}
        several = Counter(each.optimizer for each in event.schedulers if not each.driven and each.steps)
        for scheduler in event.schedulers:
            if scheduler.driven or scheduler.is_part or scheduler.cyclic or not scheduler.steps or not scheduler.optimizer_steps:
                continue
            run = run_of(scheduler, loaders)
            self.armed = True
            last, largest = rates.get(scheduler.optimizer), self._rates.largest.get(scheduler.optimizer)
            if confusion(scheduler, run, last / largest if last is not None and largest else None) is not None:
                continue
            is_last = last is None or scheduler.last is None or abs(last - scheduler.last) <= 1e-6 * abs(last)
            one_epoch = next((each.length for each in loaders if each.trained and each.length and each.epochs >= 2), None)
            verdict = (
                _below_zero(scheduler)
                or (_spent(scheduler) if is_last else None)
                or (_risen(scheduler, one_epoch) if is_last and several[scheduler.optimizer] == 1 else None)
                or (_hardly_begun(scheduler, run) if several[scheduler.optimizer] == 1 else None)
            )
            if verdict is not None:
                yield self._finding(scheduler, verdict, event)

    def _finding(self, scheduler: Scheduler, verdict: _Verdict, event: RunEnd) -> Finding:
        return self.finding(
            verdict.message,
            at=scheduler.made,
            event=event,
            label=verdict.label,
            evidence={
                "planned": scheduler.planned,
                "planned by": scheduler.planned_name,
                "schedule steps": scheduler.steps,
                "optimizer steps": scheduler.optimizer_steps,
                "largest rate": scheduler.highest,
                "last rate": scheduler.last,
            },
            related=[(f"it is stepped here, {counted(scheduler.steps, 'time')} in all", scheduler.stepped)],
            proof=verdict.proof,
            proof_note=verdict.seen,
            help=verdict.help,
            subjects=[scheduler.id, scheduler.optimizer],
        )


def _plan(scheduler: Scheduler) -> str:
    if not scheduler.planned:
        return ""
    return (
        f"{scheduler.planned_name}={scheduler.planned}"
        if scheduler.planned_name.isidentifier()
        else f"{scheduler.planned_name} is {scheduler.planned}"
    )


def _planned(scheduler: Scheduler) -> str:
    return f" ({_plan(scheduler)})" if scheduler.planned else ""


def _label(scheduler: Scheduler, otherwise: str) -> str:
    return f"planned for {counted(scheduler.planned, 'step')} of its own" if scheduler.planned else otherwise


def _below_zero(scheduler: Scheduler) -> _Verdict | None:
    """A rate below zero with which steps were made, not only set after the last of them."""
    lowest, spent = scheduler.below_zero, scheduler.spent_at
    if lowest is None or not scheduler.highest or -lowest <= 1e-6 * scheduler.highest:
        return None
    if spent is not None and scheduler.optimizer_steps - spent <= 1:
        return None
    since = f", the last {scheduler.optimizer_steps - spent} of them with none above zero" if spent is not None else ""
    return _Verdict(
        f"{scheduler.kind} drives the rate below zero, to {lowest:.3g}: the optimizer climbs its loss",
        _label(scheduler, "goes on falling below zero"),
        f"the optimizer made {counted(scheduler.optimizer_steps, 'step')}{since}, and the schedule has set {lowest:.3g}",
        "plan for as many steps as the schedule is stepped, and let the factor end at zero: `max(0.0, ...)`",
        Proof.LAW,
    )


def _spent(scheduler: Scheduler) -> _Verdict | None:
    """No rate above zero for the rest of training."""
    if scheduler.spent_at is None or scheduler.spent_steps < _MOVES_AFTER_END:
        return None
    vain = scheduler.optimizer_steps - scheduler.spent_at
    if vain < max(_LEAST_SPENT, _SHARE_SPENT * scheduler.optimizer_steps):
        return None
    return _Verdict(
        f"{scheduler.kind} has ended long before training{_planned(scheduler)}: the last {vain} of {scheduler.optimizer_steps} steps"
        " have a rate of zero",
        _label(scheduler, "has come to zero while training goes on"),
        f"no group had a rate above zero from step {scheduler.spent_at} on, and the schedule was stepped {scheduler.steps} times",
        f"plan for {counted(scheduler.steps, 'step')}, as often as it is stepped, or train for as long as it lasts",
        Proof.LAW,
    )


def _risen(scheduler: Scheduler, one_epoch: int | None) -> _Verdict | None:
    """A plan that ran out and, being a cosine, came up again."""
    planned, steps = scheduler.planned, scheduler.steps
    if scheduler.kind not in _RISES_AGAIN or not planned or steps < _TOO_LONG * planned:
        return None
    highest, lowest, last = scheduler.highest, scheduler.lowest, scheduler.last
    if not highest or lowest is None or last is None or lowest > _FALLEN * highest:
        return None
    is_one_epoch = planned == one_epoch and scheduler.kind == "CosineAnnealingLR" and steps >= 2 * planned
    if not is_one_epoch and (last < _RISEN * highest or steps >= _GOES_ROUND * planned):
        return None
    ends = f"and training ends at {last:.2g}, not at the end of the plan" if last >= _RISEN * highest else "again and again"
    return _Verdict(
        f"the rate rises again: {scheduler.kind} is planned for {planned} steps ({_plan(scheduler)}) and stepped {steps} times",
        _label(scheduler, ""),
        f"the rate fell from {highest:.2g} to {lowest:.2g} and rose {ends}",
        (f"{planned} are the batches of one epoch: multiply by the number of epochs" if is_one_epoch else f"plan for {steps} steps")
        + "; for rates that come again on purpose use `CosineAnnealingWarmRestarts`",
        Proof.STATISTIC,
    )


def _hardly_begun(scheduler: Scheduler, run: Run) -> _Verdict | None:
    """A plan that is many times as long as a run which nothing cut short, or a warm-up that would have ended had it followed the steps."""
    planned, steps, made = scheduler.planned, scheduler.steps, scheduler.optimizer_steps
    if not planned or not scheduler.bounded or made < _LEAST_STEPS or scheduler.kind not in _HAS_A_PLAN | _WARM_UPS:
        return None
    highest, last, base = scheduler.highest, scheduler.last, scheduler.base or 0.0
    if highest is None or last is None:
        return None
    called = name_given(scheduler.made, "scheduler")
    slow = scheduler.kind in _WARM_UPS and bool(base) and last <= 0.5 * base and highest <= last * 1.001
    if slow and planned >= 2 * steps and 4 * steps <= made and planned <= made:
        return _Verdict(
            f"the warm-up never ends: {scheduler.kind} is planned for {planned} steps ({_plan(scheduler)}) and stepped"
            f" {counted(steps, 'time')}, not {made}",
            _label(scheduler, ""),
            f"the optimizer made {made} steps, and the rate has got from nothing to {last:.2g} of {base:.2g}",
            f"call `{called}.step()` after each optimizer step, or plan the warm-up in the unit that it is stepped in",
            Proof.STATISTIC,
        )
    rising = scheduler.kind in _WARM_UPS and bool(base) and last >= 0.999 * highest and last < 0.999 * base
    if rising or scheduler.kind not in _HAS_A_PLAN:
        return None  # a warm-up is as long as it is, however short the run, and a constant rate has no plan
    if planned < (_HARDLY_BEGUN_IN_JUMPS if scheduler.kind == "StepLR" else _HARDLY_BEGUN) * steps:
        return None
    lowest = min(scheduler.lowest or last, last)
    return _Verdict(
        f"{scheduler.kind} hardly begins: it is planned for {planned} steps ({_plan(scheduler)}) and stepped {counted(steps, 'time')}",
        _label(scheduler, ""),
        f"the run completed after {counted(made, 'optimizer step')}, and the rate was never outside {lowest:.3g} to {highest:.3g}",
        f"plan for as many steps as it is stepped, {steps}",
        Proof.HINT,  # a right program that was shortened for a test looks the same
    )
