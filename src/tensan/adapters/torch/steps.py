"""Hears each step of an optimizer, and what is done to the gradients before it, and tells the parts whose business they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensan.adapters.torch.heard import heard
from tensan.adapters.torch.optimizers import OptimizerRecord
from tensan.core.events.run import StepEnd
from tensan.core.events.source import Discarded
from tensan.core.events.training import AveragesCompared, Clip, GradientsReplaced, GroupRates, OptimizerStep, StrayRate, ZeroGrad
from tensan.core.sites import here
from tensan.core.watch import Stopped

if TYPE_CHECKING:
    from tensan.adapters.torch.guard import Guard
    from tensan.adapters.torch.recorder import Recorder


class Steps:
    """The steps of all optimizers of a run.

    Attributes:
        through: who calls the step, where the program does not do it itself: `scaler`.
        limit: steps after which the run is stopped.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.through = ""
        steps = recorder.watch.settings.steps
        self.limit = steps if steps is not None else 1 << 62

    @heard
    def unscaled(self, optimizer: Any) -> None:
        """A scaler is about to take its scale out of an optimizer's gradients."""
        self.recorder.optimizers.record_of(optimizer).scaled = False

    @heard
    def scaler_steps(self, optimizer: Any) -> None:
        """A scaler is about to step an optimizer, unless its gradients overflowed."""
        recorder = self.recorder
        record = recorder.optimizers.record_of(optimizer)
        record.attempts += 1
        if record.scaled and record.backward_since_step and recorder.attending and recorder.watch.wants(Clip):
            recorder.apart(recorder.scaling.clipped_by_hand, record)
        record.scaled = False
        self.through = "scaler"

    @heard
    def before(self, optimizer: Any, closure: bool = False) -> None:
        """An optimizer is about to change its parameters; where it is given a closure, once that has computed the gradients."""
        recorder = self.recorder
        if recorder.held_sums.is_open:
            recorder.apart(recorder.held_sums.close)
        recorder.deep.close()
        recorder.backwards.is_running = False
        record = recorder.optimizers.record_of(optimizer)
        if self.through != "scaler":
            record.attempts += 1
        if closure and recorder.guard is not None:
            recorder.guard.closure_given(record)
        if not closure and not (recorder.guard is not None and self._is_turned_away(recorder.guard, record)):
            recorder.statistics.before_step(record)
        if not recorder.attending:
            return
        site = here(3)
        recorder.ran(site)
        if recorder.journal is not None and not closure:
            recorder.apart(recorder.journal.steps, record)
        if recorder.watch.wants(Discarded):
            recorder.apart(recorder.discards.look)
        recorder.apart(record.cleared_by_hand, site)
        with_gradient, without_gradient, num_gradients = [], [], 0
        for tensor in record.parameters():
            if tensor.requires_grad:
                if tensor.grad is not None:
                    with_gradient.append(tensor)
                    num_gradients += 1
                else:
                    without_gradient.append(tensor)
                    recorder.inventory.without_gradient(tensor)
        if with_gradient and record.discarded is not None and not record.backward_since_step:
            recorder.apart(record.written_after_clearing)
        if record.discarded is not None and not record.backward_since_step:
            with_gradient, num_gradients = [], 0  # what is left are zeros
        if recorder.resumes.waiting:
            recorder.apart(recorder.resumes.stepping, record)
        recorder.apart(recorder.equal_units.look, record)
        if recorder.watch.wants(GradientsReplaced):
            recorder.apart(recorder.replaced_gradients.stepping, record)
        if recorder.watch.wants(StrayRate):
            for stray in recorder.stray_rates.of(record):
                recorder.watch.emit(stray)
        if recorder.watch.wants(GroupRates):
            recorder.apart(recorder.rates_of_groups.stepping, record)
        if recorder.watch.wants(AveragesCompared):
            recorder.apart(recorder.trained_averages.steps, record)
        unchanged = record.is_unchanged(record.after_step) if record.attended_last else None
        fresh = None if not record.attended_last or not num_gradients else not (unchanged is True and not record.backward_since_step)
        left_over = record.contributions.stepping(steps=record.steps)
        if recorder.watch.wants(OptimizerStep):
            describe = recorder.inventory.describe
            recorder.watch.emit(
                OptimizerStep(
                    step=recorder.watch.steps,
                    site=site,
                    optimizer=record.event(),
                    with_gradient=tuple(map(describe, with_gradient)),
                    without_gradient=tuple(map(describe, without_gradient)),
                    fresh=fresh,
                    assigned=_negated(record.is_unchanged(record.after_backward)),
                    scaled=record.scaled and record.backward_since_step and self.through != "scaler",
                    carried=record.carried and record.backward_since_step,
                    cleared=record.discarded if not record.backward_since_step else None,
                    shared_with=self._shared_with(record),
                    left_over=None if record.carried else left_over,
                    backward=record.backward_site,
                    previous=record.step_site,
                    through=self.through,
                )
            )
        record.step_site = site

    @heard
    def gradients_computed(self, optimizer: Any, again: bool) -> bool:
        """A closure has computed the gradients that a step is about to use: for the first time in this step, or again.

        Returns:
            Whether the step must be left at once.
        """
        recorder = self.recorder
        record = recorder.optimizers.record_of(optimizer)
        guard = recorder.guard
        if recorder.journal is not None and recorder.attending:
            if again:
                recorder.apart(recorder.journal.refuse, "a step computes its gradients several times, in a closure")
            else:
                recorder.apart(recorder.journal.steps, record)
        if guard is not None and not again and self._is_turned_away(guard, record, closure=True):
            return guard.can_call_off(record)
        if again:
            recorder.statistics.test(record, attending=recorder.attending)
        else:
            recorder.statistics.before_step(record)
        return False

    def give_back(self, optimizer: Any) -> None:
        """Puts gradients back that were hidden from a step."""
        record = self.recorder.optimizers.by_id.get(id(optimizer))
        if record is None:
            return
        for tensor, gradient in record.held:
            tensor.grad = gradient
        record.held = []

    def _shared_with(self, record: OptimizerRecord) -> str | None:
        """Returns another optimizer that has stepped on these very gradients since the last backward."""
        if record.backward_since_step is False:
            return None
        for other in self.recorder.optimizers.living():
            stepped = other is not record and other.attended_last and not other.backward_since_step
            if stepped and other.parameter_ids & record.parameter_ids and other.is_unchanged(other.after_step):
                return other.id
        return None

    def _is_turned_away(self, guard: Guard, record: OptimizerRecord, *, closure: bool = False) -> bool:
        """Asks the gate; a step that cannot be called off otherwise finds no gradients, and optimizers pass over such parameters."""
        if not guard.charged(guard.asks, record, closure=closure):
            return False
        record.before = []
        if not guard.can_call_off(record):
            record.held = [(tensor, tensor.grad) for tensor in record.parameters() if tensor.grad is not None]
            for tensor, _ in record.held:
                tensor.grad = None
        return True

    def idle_before(self, optimizer: Any) -> bool:
        """Tells, on a step that is not looked at, whether there is something to do all the same."""
        recorder = self.recorder
        statistics = recorder.statistics
        wait = statistics.finite_wait = statistics.finite_wait - 1
        return wait <= 0 or recorder.guard is not None or statistics.tripped(optimizer)

    def idle_schedule(self, scheduler: Any) -> bool:
        """Counts a schedule's step that is not looked at; returns False where it must be looked at all the same."""
        recorder = self.recorder
        try:
            return recorder.schedules.idle_step(scheduler)
        except Exception as error:  # noqa: BLE001 - the guest never breaks the host
            recorder.fail(error)
            return False

    def idle_after(self, optimizer: Any) -> None:
        """Counts a step that is not looked at: this is all that watching costs most of the time."""
        recorder = self.recorder
        record = recorder.optimizers.by_id.get(id(optimizer))
        watch, attention = recorder.watch, recorder.attention
        if record is None or recorder.guard is not None or attention.skip <= 1 or watch.steps + 1 >= self.limit:
            self.after(optimizer)
            return
        attention.skip -= 1
        attention.skipped += 1
        record.steps += 1
        watch.steps += 1
        if recorder.held_sums.follows:
            recorder.hear(recorder.apart, recorder.held_sums.idle_stepped)

    @heard
    def after(self, optimizer: Any) -> None:
        """An optimizer has changed its parameters."""
        recorder = self.recorder
        record = recorder.optimizers.record_of(optimizer)
        self.give_back(optimizer)
        if recorder.guard is not None:
            recorder.guard.charged(recorder.guard.stepped, record)
        record.steps += 1
        recorder.watch.steps += 1
        carried = record.carried
        record.backward_since_step, record.discarded, record.carried = False, None, False
        record.scaled = False
        record.contributions.forget()
        recorder.backwards.stepped()
        attended = recorder.attending
        record.attended_last = attended
        if attended:
            for other in recorder.optimizers.living():
                if other is not record and other.parameter_ids.isdisjoint(record.parameter_ids):
                    other.contributions.used_by(record.parameter_ids)
            record.after_step = record.sample()
            recorder.statistics.after_step(record)
            if recorder.watch.wants(AveragesCompared):
                recorder.apart(recorder.trained_averages.stepped, record)
            recorder.investigation.step_done()
            record.rates()
            recorder.apart(recorder.figures.hear, recorder.figures.stepped, record, recorder.statistics.moved)
            if recorder.watch.wants(StepEnd):
                recorder.watch.emit(StepEnd(step=recorder.watch.steps, optimizer=record.id, carried=carried, backward=record.backward_site))
        else:
            record.after_step = None
        recorder.forwards.since_step = 0
        self.counted()
        if attended:
            recorder.apart(recorder.held_sums.stepped)
        if recorder.watch.steps >= self.limit:
            raise Stopped(f"--steps {self.limit}")

    def counted(self) -> None:
        recorder = self.recorder
        attended = recorder.attention.on
        if recorder.attention.step_done() or (attended and not recorder.forwards.hooks):
            recorder.forwards.adjust()
            if not recorder.attention.on:
                for other in recorder.optimizers.living():
                    other.attended_last = False

    @heard
    def zero_grad(self, parameters: Iterable[Any], optimizer: Any = None) -> None:
        """Gradients are about to be cleared by `zero_grad` of an optimizer or a module."""
        recorder = self.recorder
        if not recorder.attending:
            return
        if optimizer is not None:
            records = [recorder.optimizers.record_of(optimizer)]
        else:
            parameters = list(parameters)
            identifiers = {id(tensor) for tensor in parameters}
            records = [record for record in recorder.optimizers.living() if not record.parameter_ids.isdisjoint(identifiers)]
        if recorder.journal is not None:
            recorder.apart(recorder.journal.cleared, parameters if optimizer is None else list(records[0].parameters()))
        site = here(3)
        for record in records:
            unused = record.backward_since_step and any(tensor.grad is not None for tensor in record.parameters())
            if unused:
                record.discarded = site
                record.backward_since_step = False
            record.carried = False
            record.contributions.forget()
            record.after_step = None if record.attended_last and not unused else record.after_step
        if recorder.watch.wants(ZeroGrad):
            recorder.watch.emit(ZeroGrad(step=recorder.watch.steps, site=site, optimizer=records[0].id if records else None))

    @heard
    def clip(self, parameters: list[Any], limit: float, norm: float | None = None) -> None:
        """Gradients are about to be clipped, by value where there is no norm."""
        recorder = self.recorder
        if recorder.attending and recorder.journal is not None:
            recorder.apart(recorder.journal.clipped, parameters, limit, norm)
        if not recorder.attending or not recorder.watch.wants(Clip):
            return
        identifiers = {id(tensor) for tensor in parameters}
        records = [record for record in recorder.optimizers.living() if not record.parameter_ids.isdisjoint(identifiers)]
        gradients = sum(tensor.grad is not None for tensor in parameters)
        known = [record for record in records if record.attended_last or record.steps == 0]
        recorder.watch.emit(
            Clip(
                step=recorder.watch.steps,
                site=here(3),
                optimizers=tuple(record.id for record in records),
                after_step=bool(known) and gradients > 0 and all(record.steps > 0 and not record.backward_since_step for record in known),
                scaled=bool(records) and any(record.scaled and record.backward_since_step for record in records),
                limit=limit,
                num_gradients=gradients,
                num_parameters=len(parameters),
                parameters=() if gradients else tuple(recorder.inventory.known(tensor).id for tensor in parameters[:64]),
            )
        )


def _negated(answer: bool | None) -> bool | None:
    return None if answer is None else not answer
