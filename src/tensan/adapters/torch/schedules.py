"""Follows learning-rate schedules: what they planned, and how often the program stepped them."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from tensan.core.events import Scheduler, ScheduleStep
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
}
#: Steps of a schedule that are told whether the training step is looked at or not.
MOST_TOLD = 2
#: On steps that are not looked at, the rates are read so seldom: the optimizer may be gone at the end.
RATES_EVERY = 8
CYCLIC = frozenset({"CosineAnnealingWarmRestarts", "CyclicLR"})


class ScheduleRecord:
    """One schedule, held weakly, and what remains known once it is gone."""

    def __init__(self, *, id: str, scheduler: Any, optimizer: OptimizerRecord, made: Place) -> None:
        self.id, self.made, self.kind = id, made, type(scheduler).__name__
        self.reference = weakref.ref(scheduler)
        self.optimizer = optimizer
        self.first_step, self.first_attempts = optimizer.steps, optimizer.attempts
        self.steps = 0
        self.stepped: Place = None
        self.driven = False
        self.planned, self.planned_name = _planned(scheduler)

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
            driven=self.driven,
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
            optimizer=recorder.record_of(optimizer),
            made=here(3),
        )
        self.records[id(scheduler)] = record

    def idle_step(self, scheduler: Any) -> bool:
        """Counts a step that is not looked at; returns False where it must be looked at all the same."""
        record = self.records.get(id(scheduler))
        if record is None or record.steps <= MOST_TOLD or record.steps % RATES_EVERY == 0:
            return False
        record.steps += 1
        return True

    def stepped(self, scheduler: Any) -> None:
        """The program has stepped a schedule; calls that one schedule makes to another do not come here."""
        record = self.records.get(id(scheduler))
        if record is None or record.reference() is not scheduler:
            return
        record.steps += 1
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
            record.optimizer.rates()

    def events(self) -> tuple[Scheduler, ...]:
        """Returns every schedule as it stands."""
        for record in list(self.records.values()):
            scheduler = record.reference()
            if scheduler is not None:
                record.planned, record.planned_name = _planned(scheduler)
            for child in getattr(scheduler, "_schedulers", ()) or ():
                inner = self.records.get(id(child))
                if inner is not None:
                    inner.driven = True
        return tuple(record.event() for record in (*self._gone, *self.records.values()))


def _planned(scheduler: Any) -> tuple[int | None, str]:
    kind = type(scheduler).__name__
    if kind == "MultiStepLR":
        milestones = getattr(scheduler, "milestones", None)
        return (max(milestones), "milestones") if milestones else (None, "")
    name = PLANNED.get(kind)
    value = getattr(scheduler, name, None) if name else None
    return (int(value), name) if isinstance(value, (int, float)) and name else (None, "")
