"""Follows learning-rate schedules: what they planned, and how often the program stepped them."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.calls import argument_at, is_bounded
from tensan.adapters.torch.horizons import Lengths, horizon_of
from tensan.adapters.torch.late_bindings import late_binding
from tensan.adapters.torch.rate_trail import RateTrail
from tensan.core.events.things import Scheduler
from tensan.core.events.training import RatesBoundLate, ScheduleStep
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder

#: For each kind with an end of its own: the attribute that names it.
PLANNED = {
    "CosineAnnealingLR": "T_max",
    "OneCycleLR": "total_steps",
    "LinearLR": "total_iters",
    "ConstantLR": "total_iters",
    "PolynomialLR": "total_iters",
    "StepLR": "step_size",
}
#: What a sequence may close with so that it has an end: a constant rate, and one that falls in jumps, go on for as long as training does.
ENDS = frozenset({"CosineAnnealingLR", "OneCycleLR", "LinearLR", "PolynomialLR", "LambdaLR"})
#: Steps of a schedule that are told whether the training step is looked at or not.
MOST_TOLD = 2
CYCLIC = frozenset({"CosineAnnealingWarmRestarts", "CyclicLR"})
#: Values of a metric that are remembered.
MOST_METRICS = 4_096


class ScheduleRecord:
    """One schedule, held weakly, and what remains known once it is gone."""

    def __init__(self, *, id: str, scheduler: Any, optimizer: OptimizerRecord, made: Place) -> None:
        self.id, self.made, self.kind = id, made, type(scheduler).__name__
        self.reference = weakref.ref(scheduler)
        self.optimizer = optimizer
        self.first_step, self.first_attempts = optimizer.steps, optimizer.attempts
        self.steps = 0
        #: Steps in a row between which its optimizer did none, and how many of those it had done at the last one.
        self.astray = 0
        self._done = -1
        self.stepped: Place = None
        self.driven = self.is_part = False
        self.planned, self.planned_name = _planned(scheduler)
        self.trail = RateTrail()
        #: Whether to read the rates is nothing that a mode of the program could hear of.
        self.plain = all(isinstance(group.get("lr"), (int, float)) for group in scheduler.optimizer.param_groups)
        self.base = max((float(rate) for rate in getattr(scheduler, "base_lrs", ())), default=None)
        self.bounded = False
        self.fed = ""
        self.metrics: list[float] = []
        self.direction = str(getattr(scheduler, "mode", "")) if self.kind == "ReduceLROnPlateau" else ""
        self.patience = int(getattr(scheduler, "patience", 0)) if self.direction else 0
        self.cuts = 0

    def count(self) -> None:
        """Counts a step."""
        self.steps += 1
        done = self.optimizer.steps + self.optimizer.attempts
        self.astray = self.astray + 1 if done == self._done else 0
        self._done = done

    def event(self) -> Scheduler:
        """Returns the schedule as events speak of it."""
        return Scheduler(
            id=self.id,
            kind=self.kind,
            optimizer=self.optimizer.id,
            made=self.made,
            stepped=self.stepped,
            planned=self.planned,
            planned_name=self.planned_name,
            cyclic=self.kind in CYCLIC,
            steps=self.steps,
            optimizer_steps=self.optimizer.steps - self.first_step,
            astray=self.astray,
            driven=self.driven,
            is_part=self.is_part,
            highest=self.trail.highest,
            lowest=self.trail.lowest,
            last=self.trail.last,
            base=self.base,
            spent_at=self.trail.spent_at - self.first_step if self.trail.spent_at is not None else None,
            spent_steps=self.trail.spent_steps,
            below_zero=self.trail.below_zero,
            bounded=self.bounded,
            fed=self.fed,
            metrics=tuple(self.metrics),
            direction=self.direction,
            patience=self.patience,
            cuts=self.cuts,
        )


class Schedules:
    """All schedules of the run."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.records: dict[int, ScheduleRecord] = {}
        self._gone: list[ScheduleRecord] = []
        self.depth = 0
        self.building = 0

    def built(self, scheduler: Any) -> None:
        """A schedule's constructor has returned."""
        optimizer = getattr(scheduler, "optimizer", None)
        if optimizer is None:
            return
        recorder = self.recorder
        known = self.records.get(id(scheduler))
        if known is not None and known.reference() is scheduler:
            # A subclass's constructor returns after its base's: its own attributes are there only now.
            known.planned, known.planned_name = _planned(scheduler)
            return
        if known is not None:
            self._gone.append(known)
        record = ScheduleRecord(
            id=f"scheduler:{len(self.records) + len(self._gone) + 1}",
            scheduler=scheduler,
            optimizer=recorder.optimizers.record_of(optimizer),
            made=here(3),
        )
        record.trail.add(record.optimizer.rates(), record.optimizer.steps)
        self.records[id(scheduler)] = record
        if recorder.watch.wants(RatesBoundLate):
            recorder.apart(self._functions, record, scheduler)

    def _functions(self, record: ScheduleRecord, scheduler: Any) -> None:
        functions = getattr(scheduler, "lr_lambdas", None)
        found = late_binding(functions) if isinstance(functions, list) else None
        if found is not None:
            self.recorder.watch.emit(
                RatesBoundLate(
                    step=self.recorder.watch.steps,
                    site=record.made,
                    scheduler=record.event(),
                    name=found.name,
                    read=found.read,
                    loop=found.loop,
                    count=found.functions,
                )
            )

    def idle_step(self, scheduler: Any) -> bool:
        """Counts a step that is not looked at; returns False where it must be looked at all the same."""
        record = self.records.get(id(scheduler))
        if record is None or record.steps <= MOST_TOLD or record.direction or not record.plain:
            return False
        record.count()
        return True

    def stepped(self, scheduler: Any, *given: Any) -> None:
        """The program has stepped a schedule; calls that one schedule makes to another do not come here."""
        record = self.records.get(id(scheduler))
        if record is None or record.reference() is not scheduler:
            return
        record.count()
        if record.steps == 1:
            self.recorder.apart(self._read, record, scheduler)
        if record.direction and given:
            self.recorder.apart(self._fed, record, given[0])
        if not self.recorder.attending and record.steps > MOST_TOLD:
            return
        record.stepped = here(3)
        if self.recorder.watch.wants(ScheduleStep):
            self.recorder.watch.emit(
                ScheduleStep(
                    step=self.recorder.watch.steps,
                    site=record.stepped,
                    scheduler=record.event(),
                    attempts=max(record.optimizer.attempts - record.first_attempts, record.optimizer.steps - record.first_step),
                )
            )

    def moved(self, scheduler: Any) -> None:
        """A schedule has set the rates: they are read now, since the optimizer may be gone at the end."""
        record = self.records.get(id(scheduler))
        if record is not None:
            before = record.trail.last
            record.trail.add(record.optimizer.rates(), record.optimizer.steps)
            record.cuts += bool(record.direction) and before is not None and record.trail.last is not None and record.trail.last < before

    def restored(self, scheduler: Any) -> None:
        """The program has loaded a state into a schedule, which goes on where another one stopped, of this run or of an earlier one."""
        known = self.records.get(id(scheduler))
        if known is None or known.reference() is not scheduler:
            return
        known.is_part = True
        for other in (*self._gone, *self.records.values()):
            same_plan = (other.kind, other.planned) == (known.kind, known.planned)
            other.is_part = other.is_part or (same_plan and other.steps == getattr(scheduler, "last_epoch", -1))

    def _read(self, record: ScheduleRecord, scheduler: Any) -> None:
        """It is stepped for the first time: reads off the program what it plans, and in what loops that is."""
        record.bounded = is_bounded(2)
        self._plan(record, scheduler)

    def _fed(self, record: ScheduleRecord, metric: Any) -> None:
        if record.steps == 1:
            record.fed = argument_at(here(5), "step")
        if len(record.metrics) < MOST_METRICS and isinstance(metric, (int, float, torch.Tensor)):
            record.metrics.append(float(metric))  # the schedule is about to read it on the host itself

    def _plan(self, record: ScheduleRecord, scheduler: Any) -> None:
        planned, name = _planned(scheduler, self._length)
        if planned:  # a loader whose length it was made of may be gone by now
            record.planned, record.planned_name = planned, name

    def _length(self, loader: Any) -> int | None:
        record = self.recorder.loaders.records.get(id(loader))
        return record.length if record is not None and record.reference() is loader else None

    def events(self) -> tuple[Scheduler, ...]:
        """Returns every schedule as it stands."""
        for record in list(self.records.values()):
            scheduler = record.reference()
            if scheduler is not None:
                self.recorder.apart(self._plan, record, scheduler)
            for child in getattr(scheduler, "_schedulers", ()) or ():
                inner = self.records.get(id(child))
                if inner is not None:
                    inner.driven = True
        return tuple(record.event() for record in (*self._gone, *self.records.values()))


def _planned(scheduler: Any, lengths: Lengths = lambda _: None) -> tuple[int | None, str]:
    kind = type(scheduler).__name__
    if kind == "MultiStepLR":
        milestones = getattr(scheduler, "milestones", None)
        return (max(milestones), "milestones") if milestones else (None, "")
    if kind == "LambdaLR":
        functions = getattr(scheduler, "lr_lambdas", ())
        return max((found for each in functions if (found := horizon_of(each, lengths)) is not None), default=(None, ""))
    if kind == "SequentialLR":
        milestones, parts = list(getattr(scheduler, "_milestones", ())), list(getattr(scheduler, "_schedulers", ()))
        ends = parts and milestones and type(parts[-1]).__name__ in ENDS
        last, name = _planned(parts[-1], lengths) if ends else (None, "")
        return (milestones[-1] + last, f"milestones[-1] + {name}") if last else (None, "")
    name = PLANNED.get(kind)
    value = getattr(scheduler, name, None) if name else None
    return (int(value), name) if isinstance(value, (int, float)) and name else (None, "")
