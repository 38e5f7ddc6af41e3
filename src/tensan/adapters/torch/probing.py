"""Decides which steps are recorded for replay, remembers what the model was given in them, and offers them to the rules."""

from __future__ import annotations

import time
import weakref
from typing import TYPE_CHECKING, Any

import msgspec

from tensan.adapters.torch import batches, probes
from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.recording import Recording
from tensan.adapters.torch.sequences import line_that_made
from tensan.adapters.torch.tape import Tape
from tensan.adapters.torch.trace import storage_of
from tensan.core.asks import Answer, Ask
from tensan.core.events.recorded import Layer, StepRecorded
from tensan.core.events.training import Loss

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder
    from tensan.adapters.torch.trace import Trace

#: Deep steps that are recorded without asking the budget: not the very first, in which branches that start at zero tell nothing.
FIRST_TAPES = 2
#: Recorded steps of a run in all.
MOST_TAPES = 12
#: CPU nanoseconds that replays of a run may take whatever the budget says; they are charged all the same.
FREE_REPLAYS = 60_000_000
#: What one may take beyond that, where its kind of question has had no answer yet.
MOST_FIRST_REPLAY = 100_000_000
#: Replays of one recorded step.
MOST_REPLAYS = 10
#: Tensors that are looked at among what a model is given and returns.
MOST_TENSORS = 16


class Probing:
    """One recorded step at a time, let go of as soon as its rules have been heard."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.wanted = recorder.watch.wants(StepRecorded)
        self.num_tapes = 0
        self.replays = 0
        self.recording: Recording | None = None
        self._given: list[Any] = []
        self._returned: list[Any] = []
        self._forward_end = 0
        self._began = 0
        self._took = 0
        self._spent = 0
        self._answers: dict[Any, Answer] = {}
        self._answered: set[str] = set()
        self._layers: weakref.WeakKeyDictionary[Any, Layer] = weakref.WeakKeyDictionary()

    # ---- while the step is recorded ----

    def tape(self) -> Tape | None:
        """Returns a tape for the deep step that begins, where one is wanted."""
        self.forget()
        recorder = self.recorder
        if not self.wanted or self.num_tapes >= MOST_TAPES or (recorder.deep.count == 0 and recorder.watch.steps == 0):
            return None
        if self.num_tapes >= FIRST_TAPES and not recorder.watch.budget.allows(self._took):
            return None
        self._began = time.thread_time_ns()
        return Tape()

    def given(self, inputs: Any) -> None:
        """A model is about to run on these."""
        self._given += [tensor for tensor in tensors_in(inputs, most=MOST_TENSORS) if tensor.dim()]

    def returned(self, trace: Trace, output: Any) -> None:
        """A model has returned this."""
        self._returned = [tensor for tensor in tensors_in(output, most=MOST_TENSORS) if tensor.dim() and tensor.is_floating_point()]
        self._forward_end = len(trace.operations)
        self._took = (time.thread_time_ns() - self._began) // 2  # recording costs more than playing the step twice

    def layer(self, module: Any) -> Layer:
        """Returns what is told of the layer that makes an operation."""
        known = self._layers.get(module)
        if known is None:
            inventory = self.recorder.inventory
            own = type(module).__module__.startswith("torch.nn.")
            batch_first = getattr(module, "batch_first", None) if own else None
            first = next(module.parameters(), None) if own else None
            listed = inventory.listed_at.get(module) if own else None
            known = self._layers[module] = Layer(
                id=inventory.module_id(module),
                kind=type(module).__name__ if own else "",
                name=inventory.path_of(module),
                root=inventory.module_id(inventory.root_of(module)),
                made=inventory.known(first).made if first is not None else None,
                batch_first=batch_first if isinstance(batch_first, bool) else None,
                both_ways=own and getattr(module, "bidirectional", False) is True,
                listed=line_that_made(type(module).__name__, listed) if listed is not None else None,
            )
        return known

    def forget(self) -> None:
        """Lets go of every tensor."""
        self._given, self._returned, self._forward_end = [], [], 0
        self._answers.clear()
        self.recording = None

    # ---- when it is told ----

    def tell(self, trace: Trace, loss: Any, told: Loss) -> None:
        """The loss of a recorded step is about to be differentiated."""
        tape: Tape | None = trace.tape
        if tape is None:
            return
        watch = self.recorder.watch
        try:
            if tape.refused:
                watch.not_checked(f"replay ({tape.refused})")
                return
            if not self._forward_end or not self._returned:
                return
            self.num_tapes += 1
            self.replays = 0
            handed, batch = self._samples(trace, tape)
            self.recording = recording = Recording(
                trace=trace, loss=loss, handed=handed, outputs=self._returned, batch=batch, forward_end=self._forward_end
            )
            tokens = recording.tokens()
            watch.emit(
                StepRecorded(
                    step=told.step,
                    site=told.site,
                    loss=told,
                    given=recording.given(),
                    tokens=tokens,
                    outputs=tuple(index for *_, index in recording.outputs),
                    forward_end=self._forward_end,
                    discarded=recording.discarded(),
                    batch=recording.batch,
                )
            )
        finally:
            self.forget()

    def answer(self, ask: Ask) -> Answer:
        """Plays the recorded step again with one thing changed."""
        recording = self.recording
        if recording is None:
            return Answer(ask=ask, why_not="no step is recorded")
        key = ask.intervention.subject, tuple(sorted(ask.intervention.settings.items())), ask.intervention.change, ask.measure
        known = self._answers.get(key)
        if known is None:
            known = self._answers[key] = self._replay(recording, ask)
        return msgspec.structs.replace(known, ask=ask)

    def _replay(self, recording: Recording, ask: Ask) -> Answer:
        self.replays += 1
        if self.replays > MOST_REPLAYS:
            return Answer(ask=ask, why_not="too many questions about one step")
        budget = self.recorder.watch.budget
        # One answer to each kind of question is always to be had, unless steps are long: a run may be over before the budget allows it.
        kind = ask.intervention.subject.partition(":")[0]
        free = self._spent + self._took <= FREE_REPLAYS or (kind not in self._answered and self._took <= MOST_FIRST_REPLAY)
        if not free and not ask.insists and not budget.allows(self._took):
            return Answer(ask=ask, why_not="it would cost more than the budget allows")
        began = time.thread_time_ns()
        answer = probes.answer(recording, ask)
        self._took = time.thread_time_ns() - began
        self._spent += self._took
        if answer.value is not None:
            self._answered.add(kind)
        return answer

    # ---- which axis is the batch ----

    def _samples(self, trace: Trace, tape: Tape) -> tuple[list[batches.Handed], int]:
        """Returns the tensors that the model was given, each with the axis of its samples and whether those are independent."""
        loaders = self.recorder.loaders
        delivered = [tensor for tensor in (reference() for reference in loaders._batch) if tensor is not None and tensor.dim()]
        storages = {storage_of(tensor) for tensor in delivered}
        given = {id(tensor): tensor for tensor in self._given}
        used = {key for entry in tape.entries[: self._forward_end] for key in entry.inputs}
        for storage in storages & tape.outside.keys():  # what was passed by name
            given |= {id(tensor): tensor for key, tensor in tape.outside[storage].items() if tensor.dim() and key in used}
        drawing = loaders.drawing if delivered else None
        if drawing is not None:
            found = batches.from_loader(drawing, delivered=delivered, given=list(given.values()))
            if found[1]:
                return found
        return batches.by_hand(trace.operations, forward_end=self._forward_end, given=list(given.values()))
