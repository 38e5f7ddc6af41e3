"""Decides which steps are recorded operation by operation, records them, and tells what they show; one at a time."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.parameter import is_lazy

from tensan.adapters.torch import suspects_along_batch
from tensan.adapters.torch.answers import Answers
from tensan.adapters.torch.blanks import Blanks
from tensan.adapters.torch.class_weights import ClassWeights
from tensan.adapters.torch.drawn_targets import DrawnTargets
from tensan.adapters.torch.held_rows import HeldRows
from tensan.adapters.torch.laid_across import LaidAcross
from tensan.adapters.torch.padded_ends import PaddedEnds
from tensan.adapters.torch.ring_buffers import RingBuffers
from tensan.adapters.torch.spreads import Spreads
from tensan.adapters.torch.template import Template
from tensan.adapters.torch.tokens import Tokens
from tensan.adapters.torch.trace import PASSING, Trace, key_of, storage_of
from tensan.core.events.layers import OutputUnread
from tensan.core.events.numerics import NonfiniteOrigin
from tensan.core.events.things import Parameter, Value
from tensan.core.events.training import Loss
from tensan.core.sites import Place, Site, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Steps that are recorded from the start; where one has more operations than this and took longer, the second waits until it is paid for.
FIRST_DEEP = 2
FREE_OPERATIONS = 500
FREE_DEEP = 30_000_000
#: More of them where the program has several losses or models, so that each is seen.
MOST_FIRST_DEEP = 8


class DeepSteps:
    """The recorded steps of a run.

    Attributes:
        trace: of the step that is being recorded; None where none is.
        count: of the steps that were recorded.
        told: the trace that is being told of, and its loss.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.trace: Trace | None = None
        self.count = 0
        self.told: Trace | None = None
        self.loss: Any = None
        self._wanted = recorder.watch.wants(Loss)
        self._losses: dict[Any, int] = {}
        self._models: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._cost = 0
        self._is_dear = False
        self._replay_is_due = False
        self._window = 0
        self._refused_window = 0
        #: Parts that read the operations of a step and nothing else.
        self._readers = tuple(
            kind(recorder) for kind in (Tokens, Answers, Blanks, ClassWeights, HeldRows, DrawnTargets, LaidAcross, PaddedEnds, RingBuffers)
        )

    # ---- when ----

    def is_due(self, module: Any, *, begins: bool) -> bool:
        """Tells whether the step in which a model is about to run is to be recorded.

        Args:
            module: the model.
            begins: whether no other has run since the last backward.
        """
        recorder = self.recorder
        if recorder.compiled or recorder.is_under_mode or not self._wanted or not recorder.attending:
            return False
        if torch._C._get_tracing_state() is not None:
            return False
        if recorder.watch.steps in recorder.expected or (recorder.journal is not None and recorder.journal.is_open):
            return True
        if self._replay_is_due:
            return True  # what has been seen is most likely a mistake, which only a replay can prove
        if not self._is_dear:
            if self.count < FIRST_DEEP:
                return True
            if self.count < MOST_FIRST_DEEP and any(count < 2 for count in self._losses.values()):
                return True
            if self.count < MOST_FIRST_DEEP and begins and self._models.get(module, 0) < 2:
                return True  # a step that begins with another model, as each phase of a training does
        window = recorder.attention.num_windows
        if self._refused_window == window or (window <= self._window and self.count >= FIRST_DEEP):
            return False
        if recorder.watch.budget.allows(self._cost):
            return True
        self._refused_window = window  # reading the clock of the process takes long: once a window
        return False

    # ---- while it is recorded ----

    def open(self, module: Any, inputs: Any) -> None:
        """A model is about to run on these, and its step is to be recorded."""
        recorder = self.recorder
        if any(map(is_lazy, module.parameters())):
            return  # this run will give them their shapes
        trace = Trace(self._subjects(module), owner=recorder)
        trace.entry = here(3)
        trace.spreads = Spreads()
        trace.tape = recorder.probing.tape()
        journal = recorder.journal if recorder.journal is not None and recorder.journal.is_open else None
        if recorder.watch.wants(NonfiniteOrigin) or journal is not None:
            entry, given = here(3), tuple(key_of(item) if isinstance(item, torch.Tensor) else () for item in inputs)
            if journal is not None:
                recorder.apart(journal.begins, module)
                trace.template = journal.template(entry, given)
            elif trace.tape is None or not recorder.investigation.knows(entry, given):  # to record both takes twice as long
                trace.template = Template(entry=entry, inputs=given)
        recorder.probing.given(inputs if trace.tape is not None else ())
        trace.entered.append(tensors_among(inputs))
        if trace.open():
            self.trace = trace
            self._replay_is_due = False
            self.count += 1
            self._models[module] = self._models.get(module, 0) + 1
            self._window = recorder.attention.num_windows

    def _subjects(self, module: Any) -> dict[int, str]:
        """Returns what is known by name, by the memory that it lies in: parameters and the batch."""
        inventory = self.recorder.inventory
        found = {
            storage_of(tensor): inventory.known(tensor).id for record in self.recorder.optimizers.living() for tensor in record.parameters()
        }
        found |= {storage_of(tensor): inventory.known(tensor).id for tensor in module.parameters()}
        found |= {storage_of(tensor): known.id for tensor, known in inventory.unregistered()}
        return found | self.recorder.loaders.batch_storages()

    def close(self) -> Trace | None:
        """Ends the recording; returns its trace where it is whole."""
        recorder = self.recorder
        trace, self.trace = self.trace, None
        if trace is None:
            return None
        whole = trace.close()
        for name, error in trace.lost.items():
            recorder.switch_off_part(name, error)
        recorder.watch.budget.charge(trace.spent)
        self._cost = max(self._cost, len(trace.operations) * (PASSING + 15_000))
        self._is_dear = self._is_dear or (len(trace.operations) > FREE_OPERATIONS and trace.spent > FREE_DEEP)
        if self._is_dear and trace.tape is None and not recorder.probing.num_tapes and recorder.probing.wanted:
            self._replay_is_due = suspects_along_batch.recurs_over_samples(trace.operations)
        if not whole:
            recorder.probing.forget()
            if trace.failed is not None:
                recorder.watch.not_checked(f"operations of a step ({trace.failed})")
            trace.forget()
            return None
        return trace

    # ---- what it shows ----

    def tell(self, trace: Trace, loss: Any, *, leaves: tuple[Parameter, ...], found: list[Any], is_leaf: bool, site: Place) -> None:
        """The loss of a recorded step is about to be differentiated.

        Args:
            trace: of the step.
            loss: its tensor.
            leaves: the parameters that its graph ends at; none where the graph was too large to be walked whole.
            found: their tensors, and those of leaves that are no parameters.
            is_leaf: whether it has no graph.
            site: where it is differentiated.
        """
        recorder = self.recorder
        place = site.key if isinstance(site, Site) else None
        self._losses[place] = self._losses.get(place, 0) + 1
        producer = trace.producer_of(loss)
        producers = tuple(trace.producer_of(tensor) for tensor in found if not recorder.inventory.known(tensor).registered)
        if self.count <= MOST_FIRST_DEEP:
            for operation in trace.operations:
                recorder.ran(operation.site)
        self.told, self.loss = trace, loss
        spreads = trace.spreads or Spreads()
        if type(loss) is torch.Tensor and loss.numel() == 1 and not loss.is_meta:
            spreads.results[-1] = float(loss.detach())
            recorder.syncs += loss.is_cuda
            recorder.apart(recorder.figures.hear, recorder.figures.loss_value, site, spreads.results[-1])
        recorder.syncs += spreads.reads
        told = Loss(
            step=recorder.watch.steps,
            site=site,
            value=Value(shape=tuple(loss.shape), dtype=str(loss.dtype).removeprefix("torch."), producer=producer, requires_grad=True),
            is_leaf=is_leaf,
            leaves=leaves,
            leaf_producers=producers,
            operations=tuple(trace.operations),
            spreads=spreads.of_inputs,
            results=spreads.results,
        )
        recorder.watch.emit(told)
        recorder.apart(recorder.labels.learned_from, trace, site)
        recorder.apart(recorder.classes.learned_from, trace)
        recorder.apart(recorder.pairing.learned_from, trace, site)
        for part in (
            *self._readers,
            recorder.stored_outputs,
            recorder.bootstraps,
            recorder.turned_inputs,
            recorder.turned_boxes,
            recorder.mixtures,
        ):
            recorder.apart(part.learned_from, trace)
        recorder.apart(recorder.cut_states.learned_from, trace, producer)
        if recorder.watch.wants(OutputUnread):
            recorder.apart(recorder.layer_calls.learned_from, trace, producer, found)
        recorder.apart(recorder.probing.tell, trace, loss, told)
        recorder.apart(recorder.diagrams.recorded, told)
        trace.forget()
        self.told, self.loss = None, None


def tensors_among(inputs: Any) -> list[Any]:
    """Returns what of a model's positional arguments are tensors."""
    return [item for item in inputs if isinstance(item, torch.Tensor)]
