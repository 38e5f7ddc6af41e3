"""Computes the statistics that rules ask for, in few calls, on attended steps or as often as the budget allows."""

from __future__ import annotations

import math
import threading
import time
from typing import TYPE_CHECKING, Any

import msgspec
import torch

from tensan.adapters.torch.broken import Broken
from tensan.adapters.torch.finite import values_of
from tensan.adapters.torch.norms import norms
from tensan.adapters.torch.tripwire import Tripwire
from tensan.core.events.numerics import NonfiniteOrigin
from tensan.core.events.training import Measured
from tensan.core.stats import Of, Reduction, Stat

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder

NONFINITE = Stat(Reduction.NONFINITE_SHARE, Of.GRADIENT)
ZEROS = Stat(Reduction.ZERO_SHARE, Of.GRADIENT)
GRADIENT_NORM = Stat(Reduction.NORM, Of.GRADIENT)
LARGEST = Stat(Reduction.MAXIMUM, Of.PARAMETER)
UPDATE_NORM = Stat(Reduction.NORM, Of.UPDATE)

#: Parameters that are measured one by one in a step; larger models take turns, and much larger ones smaller turns.
MOST_PARAMETERS = 16
MANY_PARAMETERS = 48
#: First steps of an optimizer on which updates are measured.
FIRST_MEASURED = 10
#: Part of the budget that the finite test may take on steps that are not attended.
FINITE_PART = 0.1
#: First steps of an optimizer that are tested without asking the budget, for in a short run there is no later, and the
#: nanoseconds that this may take: with many parameters it ends sooner.
ALWAYS_TESTED = 100
MOST_TESTING = 6_000_000
#: Values of a gradient that are looked through for the largest; where those are all zero, the others are as well.
MOST_VALUES = 1 << 12
#: And values of one whose zeros are counted.
MOST_COUNTED = 1 << 12
#: While so many tests are paid for in advance, every step is tested.
CREDIT = 100


class Statistics:
    """Which statistics are wanted, and what they cost."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        needs = self._needs = recorder.watch.needs()
        self.wants_finite = NONFINITE in needs
        self.wants_zeros = ZEROS in needs
        self.wants_updates = UPDATE_NORM in needs
        self._finite_every = 1
        self.finite_wait = 0
        self._finite_cost = 30_000
        self._tested = 0
        self._last_clock = 0
        self._told_nonfinite = 0
        #: The step for which the origin was looked for before all of its backwards had run.
        self._located_at = -1
        self._turn = 0
        self._ending = False
        self.broken = Broken(recorder)
        self._forced = False
        #: Norms of the gradients that were tested last: of all of them together, and of the largest.
        self.total = self.largest = 0.0
        #: How far the weights with the largest gradients moved in the last step, relative to their size, where that is on the host.
        self.moved: list[float] = []

    def tripped(self, optimizer: Any) -> bool:
        """Tells, on a step that is not looked at, whether a gradient that most of the others flow into is broken."""
        if not self.wants_finite or self._told_nonfinite:
            return False
        if self._located_at == self.recorder.watch.steps:
            self._forced = True
            return True
        if torch._C._len_torch_dispatch_stack() or torch._C._len_torch_function_stack():
            return False  # a mode of the program would hear of it
        record = self.recorder.optimizers.by_id.get(id(optimizer))
        if record is None:
            return False
        if record.wire is None:
            record.wire = Tripwire(record.parameters(), self.recorder.watch.budget)
        self._forced = record.wire.tripped()
        return self._forced

    def broken_between(self) -> OptimizerRecord | None:
        """Returns an optimizer with a broken gradient that further backwards may add to; costs what `tripped` costs."""
        recorder = self.recorder
        if not recorder.investigation.accumulates or recorder.failed or threading.get_ident() != recorder.thread:
            return None
        if recorder.backwards.is_scaled or self._located_at == recorder.watch.steps:
            return None
        living = recorder.optimizers.living()
        return next((record for record in living if not record.scaled and self.tripped(record.reference())), None)

    def locate_between(self, record: OptimizerRecord) -> None:
        """Looks for what broke a gradient while the program still holds it: at the step it is gone."""
        self._locate(record)
        self._forced = False

    def nonfinite_share(self, record: OptimizerRecord) -> float:
        """Returns 1.0 where any gradient of an optimizer is not finite, else 0.0; one pass and one read."""
        held = [tensor.grad for tensor in record.parameters() if tensor.grad is not None]
        gradients = list(map(values_of, held))
        self.total = self.largest = 0.0
        if not gradients:
            return 0.0
        self.recorder.syncs += gradients[0].is_cuda
        sizes = norms(gradients)
        self.total, self.largest = math.hypot(*sizes), max(sizes)
        figures = self.recorder.figures
        if not self._ending:
            dense = [size for size, gradient in zip(sizes, held, strict=True) if not gradient.is_sparse]
            self.recorder.apart(figures.hear, figures.gradients, record, dense)
        return 0.0 if math.isfinite(sum(sizes)) else self._confirmed(gradients)

    def _confirmed(self, gradients: list[Any]) -> float:
        """The norm of finite gradients can overflow: look at the values themselves."""
        return float(any(not bool(torch.isfinite(gradient).all()) for gradient in gradients))

    def found_broken(self, record: OptimizerRecord) -> None:
        """Somebody else has found that gradients are broken: it is told whether or not a test is due."""
        if self.wants_finite and self._told_nonfinite < 3:
            self._test_finite(record)

    def test(self, record: OptimizerRecord, *, attending: bool) -> None:
        """Tests the gradients that an optimizer is about to use, where that is due."""
        if self.wants_finite and self._told_nonfinite < 3:
            guarded = self.recorder.guard is not None and not attending  # who has looked already
            due = not guarded and (self._forced or self._finite_is_due(record, attending=attending))
            if due or (attending and self.tripped(record.reference())):
                self._test_finite(record)
                if attending and not self._told_nonfinite and record.steps & (record.steps - 1) == 0:  # the first, and ever fewer
                    self.recorder.apart(self.broken.look, record)
        self._forced = False

    def before_step(self, record: OptimizerRecord) -> None:
        """Tests the gradients, and remembers values whose change is measured after the step."""
        attending = self.recorder.attending
        self.test(record, attending=attending)
        record.before = []
        if not attending or not (self.wants_updates or self.wants_zeros) or not self._is_turn(record):
            return
        with torch.no_grad():
            self._look_at_gradients(record)

    def _is_turn(self, record: OptimizerRecord) -> bool:
        """Updates are measured on an optimizer's first steps, and once in each later window."""
        window = self.recorder.attention.num_windows
        turn = record.steps < FIRST_MEASURED or record.measured_window != window
        record.measured_window = window
        return turn

    def _finite_is_due(self, record: OptimizerRecord, *, attending: bool) -> bool:
        first = next(record.parameters(), None)
        if first is None or first.is_cuda:  # on a device the read is a sync: only where a step is attended anyway
            self.finite_wait = 1 << 30
            return attending
        if attending and self._tested < MOST_TESTING:
            return True
        if self.finite_wait > 0:
            self.finite_wait -= attending  # idle steps have counted it down before they came here
            return False
        if record.steps < ALWAYS_TESTED and self._tested < MOST_TESTING:
            self.finite_wait = 1
            return True
        budget = self.recorder.watch.budget
        elapsed = budget.elapsed
        per_step = max((elapsed - self._last_clock) // max(self._finite_every, 1), 1)
        self._last_clock = elapsed
        if budget.left > CREDIT * self._finite_cost:  # what was earned while torch was imported is best spent on the first steps
            self._finite_every = self.finite_wait = 1
            return True
        share = budget.part(FINITE_PART)
        self._finite_every = self.finite_wait = max(1, min(1_000, int(self._finite_cost / (share * per_step)) + 1))
        return True

    def finish(self) -> None:
        """Looks once more at the end: what went wrong between two looks must not be missed altogether."""
        self._ending = True
        if self.wants_finite and not self._told_nonfinite:
            for record in self.recorder.optimizers.living():
                if record.steps:
                    self._test_finite(record)
                    if not self._told_nonfinite:
                        self.recorder.apart(self.broken.look, record)

    def _test_finite(self, record: OptimizerRecord) -> None:
        began = time.thread_time_ns()
        bad = self.nonfinite_share(record)
        if not bad:
            record.clean_step = record.steps
        spent = time.thread_time_ns() - began  # waiting for the processor is no cost of ours
        self._finite_cost = (self._finite_cost + spent) // 2
        self._tested += spent
        if not bad and self._told_nonfinite == 0 and not self.recorder.attending:
            return
        values, parameters = {}, {}
        scaled = self.recorder.steps.through == "scaler" or record.scaled
        if bad:
            self._told_nonfinite += 1
            if self._told_nonfinite == 1 and not scaled:
                self.recorder.apart(self.broken.parameters, record)
                if self._located_at != self.recorder.watch.steps:
                    self.recorder.apart(self._locate, record)
            for tensor in record.parameters():
                if tensor.grad is not None and not tensor.grad.is_sparse:
                    share = float((~torch.isfinite(tensor.grad)).double().mean())
                    described = self.recorder.inventory.describe(tensor)
                    values[described.id], parameters[described.id] = share, described
        self._tell(NONFINITE, record, values, parameters)

    def _locate(self, record: OptimizerRecord) -> None:
        """Finds out where it comes from, while the weights are untouched."""
        watch = self.recorder.watch
        if not self._ending and watch.wants(NonfiniteOrigin):
            origin = self.recorder.investigation.locate(record)
            if origin is not None:
                self._located_at = watch.steps
                watch.emit(origin)

    def _look_at_gradients(self, record: OptimizerRecord) -> None:
        trainable = [
            tensor
            for tensor in record.parameters()
            if tensor.grad is not None and not tensor.grad.is_sparse and tensor.grad.is_floating_point() and tensor.grad.numel()
        ]
        if len(trainable) > MOST_PARAMETERS:
            taken = MOST_PARAMETERS if len(trainable) <= MANY_PARAMETERS else MOST_PARAMETERS // 2
            begin = self._turn % len(trainable)
            self._turn += taken
            trainable = (trainable + trainable)[begin : begin + taken]
        zeros, parameters, largest_values = {}, {}, {}
        for tensor in trainable:
            flat = tensor.grad.reshape(-1)
            place, largest = _largest(flat[:MOST_VALUES])
            if largest == 0 and len(flat) > MOST_VALUES:
                place, largest = _largest(flat)
            self.recorder.syncs += 2 * tensor.is_cuda
            record.before.append((tensor, tensor.detach().reshape(-1)[place].clone(), place, abs(largest)))
            if self.wants_zeros:
                described = self.recorder.inventory.describe(tensor)
                if largest == 0 and described.written is None:  # nn.init was not it: a statement of the program may have been
                    statement = self.recorder.inventory.writes.statement_writing(described.name.rpartition(".")[2])
                    described = msgspec.structs.replace(described, written=statement)
                parameters[described.id] = described
                if largest == 0:
                    largest_values[described.id] = float(tensor.detach().max())
                zeros[described.id] = 1.0 if largest == 0 else _share_of_zeros(flat)
        if largest_values and LARGEST in self._needs:
            self._tell(LARGEST, record, largest_values, parameters)
        if self.wants_zeros and zeros:
            self._tell(ZEROS, record, zeros, parameters)

    def after_step(self, record: OptimizerRecord) -> None:
        """Compares the values that had the largest gradient with what they were: those at least must have moved."""
        self.moved = []
        if not record.before or not self.wants_updates:
            record.before = []
            return
        updates, gradients, parameters = {}, {}, {}
        with torch.no_grad():
            for tensor, old, place, largest in record.before:
                described = self.recorder.inventory.describe(tensor)
                updates[described.id] = abs(float(tensor.detach().reshape(-1)[place] - old))
                gradients[described.id], parameters[described.id] = largest, described
                if old.is_cpu and (size := abs(float(old))) > 0:
                    self.moved.append(updates[described.id] / size)
        record.before = []
        self._tell(GRADIENT_NORM, record, gradients, parameters)
        self._tell(UPDATE_NORM, record, updates, parameters)

    def _tell(self, stat: Stat, record: OptimizerRecord, values: dict[str, float], parameters: dict[str, Any]) -> None:
        self.recorder.watch.emit(
            Measured(
                step=self.recorder.watch.steps,
                site=record.step_site,
                stat=stat,
                values=values,
                parameters=parameters,
                optimizer=record.id,
                rates=record.rates(),
                backward=record.backward_site or self.recorder.backwards.last,
            )
        )


def _largest(flat: Any) -> tuple[int, float]:
    """Returns where the value that is furthest from zero stands, and the value."""
    place = int(flat.abs().argmax())
    return place, float(flat[place])


def _share_of_zeros(flat: Any) -> float:
    """Returns the share of zeros among values that are not all zero; of a long row, as an evenly spread sample of it has it."""
    sample = flat[:: max(1, len(flat) // MOST_COUNTED) | 1]  # an odd stride: an even one would see the same columns in every row
    return 1.0 - max(int(torch.count_nonzero(sample)), 1) / len(sample)
