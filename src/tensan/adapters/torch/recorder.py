"""Turns what torch is asked to do into events: the state behind all patched functions and hooks."""

from __future__ import annotations

import contextlib
import functools
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch._C import _functorch as transforms  # pyright: ignore[reportAttributeAccessIssue]
from torch.utils._python_dispatch import _disable_current_modes

from tensan.adapters.torch import graph, recompilations, replay, running
from tensan.adapters.torch.arithmetic_lines import ArithmeticLines
from tensan.adapters.torch.attention import Attention
from tensan.adapters.torch.attributes import Attributes
from tensan.adapters.torch.batch_generators import BatchGenerators
from tensan.adapters.torch.bootstraps import Bootstraps
from tensan.adapters.torch.carried_states import LAYERS, CarriedStates
from tensan.adapters.torch.checkpointing import Checkpointing
from tensan.adapters.torch.classes import Classes
from tensan.adapters.torch.coded_columns import CodedColumns
from tensan.adapters.torch.cut_states import CutStates
from tensan.adapters.torch.deep_steps import DeepSteps, tensors_among
from tensan.adapters.torch.diagrams import Diagrams
from tensan.adapters.torch.discards import Discards
from tensan.adapters.torch.dropped_columns import DroppedColumns
from tensan.adapters.torch.equal_rows import EqualRows
from tensan.adapters.torch.equal_units import EqualUnits
from tensan.adapters.torch.evaluations import Evaluations
from tensan.adapters.torch.figures import Figuring
from tensan.adapters.torch.gathered_tensors import GatheredTensors
from tensan.adapters.torch.group_rates import RatesOfGroups
from tensan.adapters.torch.held_arithmetic import HeldArithmetic
from tensan.adapters.torch.held_sums import HeldSums
from tensan.adapters.torch.host_seeding import HostSeeding
from tensan.adapters.torch.inputs import Inputs
from tensan.adapters.torch.inventory import Inventory
from tensan.adapters.torch.investigation import Investigation
from tensan.adapters.torch.journal import MOST_STEPS, Journal
from tensan.adapters.torch.kept_graphs import KeptGraphs
from tensan.adapters.torch.labels import Labels
from tensan.adapters.torch.laid_out import LaidOut
from tensan.adapters.torch.layer_calls import LayerCalls
from tensan.adapters.torch.left_out import LeftOut
from tensan.adapters.torch.left_statistics import LeftStatistics
from tensan.adapters.torch.loaders import Loaders
from tensan.adapters.torch.merged_casts import MergedCasts
from tensan.adapters.torch.metrics import Metrics
from tensan.adapters.torch.modes import Modes
from tensan.adapters.torch.module_hooks import ModuleHooks
from tensan.adapters.torch.optimizers import OptimizerRecord
from tensan.adapters.torch.padding_rows import PaddingRows, has_padding
from tensan.adapters.torch.pairing import Pairing
from tensan.adapters.torch.probing import Probing
from tensan.adapters.torch.rates import StrayRates
from tensan.adapters.torch.repeats import Repeats
from tensan.adapters.torch.replaced_gradients import ReplacedGradients
from tensan.adapters.torch.resumes import Resumes
from tensan.adapters.torch.row_lengths import RowLengths
from tensan.adapters.torch.row_memory import RowMemory
from tensan.adapters.torch.sameness import Sameness
from tensan.adapters.torch.scaling import Scaling
from tensan.adapters.torch.schedules import Schedules
from tensan.adapters.torch.seeding import Seeding
from tensan.adapters.torch.selected_rows import SelectedRows
from tensan.adapters.torch.skipped_batches import SkippedBatches
from tensan.adapters.torch.spent_iterators import SpentIterators
from tensan.adapters.torch.states import States
from tensan.adapters.torch.statistics import Statistics
from tensan.adapters.torch.stored_outputs import StoredOutputs
from tensan.adapters.torch.switches import Switches
from tensan.adapters.torch.tensor_hooks import TensorHooks
from tensan.adapters.torch.ties import Ties
from tensan.adapters.torch.trace import Trace
from tensan.adapters.torch.trained_averages import TrainedAverages
from tensan.adapters.torch.turned_inputs import TurnedInputs
from tensan.adapters.torch.underflow import Underflow
from tensan.adapters.torch.untraced import untraced
from tensan.adapters.torch.worker_messages import WorkerMessages
from tensan.core.asks import Answer, Ask, Measure
from tensan.core.events.layers import BatchStatistics, OutputUnread, StateFedBack
from tensan.core.events.run import RunEnd, StepEnd
from tensan.core.events.source import Discarded, UnreadAttribute
from tensan.core.events.state import StateLeavesOut
from tensan.core.events.things import Parameter
from tensan.core.events.training import (
    AveragesCompared,
    Backward,
    Clip,
    GradientsReplaced,
    GroupRates,
    Loss,
    OptimizerBuilt,
    OptimizerStep,
    StrayRate,
    ZeroGrad,
)
from tensan.core.replay_token import expected_steps
from tensan.core.sites import Place, Site, here
from tensan.core.watch import Stopped, Watch

if TYPE_CHECKING:
    from tensan.adapters.torch.guard import Guard
    from tensan.adapters.torch.rehearsal import Rehearsal

#: Backwards without any step after which each of them counts as one: the program updates its parameters by hand, or not at all.
MOST_STEPLESS = 128

#: Batches of each batch norm that are told of.
MOST_BATCHES = 16

#: Forwards without any step after which the module hooks are taken out.
MOST_IDLE_FORWARDS = 64

Method = TypeVar("Method", bound=Callable[..., Any])


def heard(method: Method) -> Method:
    """Wraps a method that patched functions call: measures its time, and lets no failure of ours out."""

    @functools.wraps(method)
    @untraced
    def guarded(self: Recorder, *args: Any, **keywords: Any) -> Any:
        if self.failed or self.busy or threading.get_ident() != self.thread:
            return None
        began = time.thread_time_ns()  # waiting for the processor is no cost of ours
        self.busy = True
        try:
            if self.metrics.lingers:
                self.apart(self.metrics.settle)
            # Modes and tensor subclasses of the program must not hear of what we call.
            self.is_under_mode = torch._C._len_torch_dispatch_stack() > 0 and self.deep.trace is None and not self.evaluations.is_tracing
            with _unheard() if self.is_under_mode else torch._C.DisableTorchFunction():
                return method(self, *args, **keywords)
        except Stopped:
            raise
        except Exception as error:  # noqa: BLE001 - the guest never breaks the host
            self.fail(error)
            return None
        finally:
            self.busy = False
            self.watch.budget.charge(time.thread_time_ns() - began)
            self.calls += 1

    return guarded  # type: ignore[return-value]


@contextlib.contextmanager
def _unheard() -> Iterator[None]:
    with torch._C.DisableTorchFunction(), _disable_current_modes():
        yield


class Recorder:
    """Everything the adapter remembers of a run.

    Args:
        watch: hears the events.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.thread = threading.get_ident()
        self.busy = False
        self.failed = False
        self.is_under_mode = False
        self.calls = 0
        self.syncs = 0
        self.inventory = Inventory()
        self.journal = Journal(self) if watch.settings.prove else None
        self.rehearsal: Rehearsal | None = None
        #: Steps at which the run that is replayed met something: they are recorded, so that the operation is named.
        self.expected = expected_steps(watch.settings.replay)
        self.attention = Attention(watch.budget, first=MOST_STEPS if self.journal is not None else None, expected=self.expected)
        self.optimizers: dict[int, OptimizerRecord] = {}
        self.modes = Modes(self)
        self.schedules = Schedules(self)
        self.loaders = Loaders(self)
        self.dropped_columns = DroppedColumns(self)
        self.states = States(self)
        self.left_out = LeftOut(self)
        self.ties = Ties(self)
        self.resumes = Resumes(self)
        self.seeding = Seeding(self)
        self.host_seeding = HostSeeding(self)
        self.arithmetic_lines = ArithmeticLines(self)
        self.held_arithmetic = HeldArithmetic(self)
        self.merged_casts = MergedCasts(self)
        self.batch_generators = BatchGenerators(self)
        self.metrics = Metrics(self)
        self.held_sums = HeldSums(self)
        self.classes = Classes(self)
        self.row_lengths = RowLengths(self)
        self.row_memory = RowMemory(self)
        self.sameness = Sameness(self)
        self.selected_rows = SelectedRows(self)
        self.turned_inputs = TurnedInputs(self)
        self.stored_outputs = StoredOutputs(self)
        self.carried_states = CarriedStates(self)
        self.cut_states = CutStates(self)
        self.bootstraps = Bootstraps(self)
        self.skipped_batches = SkippedBatches(self)
        self.equal_units = EqualUnits(self)
        self.replaced_gradients = ReplacedGradients(self)
        self.labels = Labels(self)
        self.pairing = Pairing(self)
        self.coded_columns = CodedColumns(self)
        self.left_statistics = LeftStatistics(self)
        self.layer_calls = LayerCalls(self)
        self.inputs = Inputs(self)
        self.laid_out = LaidOut(self)
        self.statistics = Statistics(self)
        self.investigation = Investigation(self)
        self.scaling = Scaling(self)
        self.kept_graphs = KeptGraphs(self)
        self.gathered_tensors = GatheredTensors(self)
        self.evaluations = Evaluations(self)
        self.attributes = Attributes(self)
        self.repeats = Repeats(self)
        self.module_hooks = ModuleHooks(self)
        self.tensor_hooks = TensorHooks(self)
        self.padding_rows = PaddingRows(self)
        self.discards = Discards(self)
        self.spent_iterators = SpentIterators(self)
        self.stray_rates = StrayRates(self)
        self.rates_of_groups = RatesOfGroups(self)
        self.trained_averages = TrainedAverages(self)
        self.switches = Switches(self)
        self.underflow = Underflow(self)
        self.checkpointing = Checkpointing(self)
        self.probing = Probing(self)
        self.figures = Figuring(self)
        self.equal_rows = EqualRows()
        self.worker_messages = WorkerMessages(self)
        self.diagrams = Diagrams(self)
        self.deep = DeepSteps(self)
        self.compiled = False
        self.compiled_at: Place = None
        self.in_backward = False
        #: Whether no model has run with gradients since the last backward.
        self.is_between = True
        self.depth = 0
        self.forwards_since_step = 0
        self._plain: set[int] = set()
        self._switched_off: set[str] = set()
        self._seen: set[Site] = set()
        self.root: Any = None
        self.normalised: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self.pending_scale = False
        self.through = ""
        self.first_since_step = True
        self.backwards = 0
        self._stepless = 0
        self.last_backward: Place = None
        self.optimizer_count = 0
        self.guard: Guard | None = None
        if not watch.gate.is_open:
            self.stand_guard()
        self.limit = watch.settings.steps if watch.settings.steps is not None else 1 << 62
        self._hooks: list[Any] = []
        self._leaves_cache: tuple[tuple[int, ...], int, tuple[Parameter, ...]] | None = None

    def stand_guard(self) -> None:
        """Puts somebody before each step who asks the gate."""
        from tensan.adapters.torch.guard import Guard  # most runs have none

        self.guard = self.guard or Guard(self)
        for record in self.living_optimizers():
            self.guard.adopt(record)

    # ---- ourselves ----

    @heard
    def hear(self, function: Callable[..., Any], *args: Any) -> Any:
        """Calls one of our parts under the same guard as our own methods; returns what it returns, or None where it could not."""
        return function(*args)

    @untraced
    def shielded(self, function: Callable[..., Any], *args: Any) -> None:
        """Calls what must run whatever has failed before, or is too quick to be measured; no failure of it gets out."""
        try:
            function(*args)
        except Exception as error:  # noqa: BLE001 - the guest never breaks the host
            self.fail(error)

    def apart(self, part: Callable[..., Any], *args: Any) -> None:
        """Calls a part that others do not need: where it fails, it alone is switched off."""
        name = f"{type(getattr(part, '__self__', self)).__name__}.{part.__name__}"
        if name not in self._switched_off:
            try:
                part(*args)
            except Stopped:
                raise
            except Exception as error:  # noqa: BLE001 - the guest never breaks the host
                self.switch_off_part(name, error)

    def switch_off_part(self, name: str, error: Exception) -> None:
        """Leaves a part out for the rest of the run, because it has failed."""
        if name not in self._switched_off:
            self._switched_off.add(name)
            self.watch.switch_off(f"part {name} of the adapter torch", error)

    def fail(self, error: Exception) -> None:
        """Switches the adapter off for the rest of the run."""
        if not self.failed:
            self.withdraw()
            self.watch.switch_off("adapter torch", error)

    def withdraw(self) -> None:
        """Stops to hear of anything for the rest of the run."""
        self.failed = True
        for cleanup in (self.deep.close, self.held_sums.abandon, self.evaluations.abandon, self.remove_module_hooks):
            with contextlib.suppress(Exception):  # the reason to stop is told already
                cleanup()

    @property
    def attending(self) -> bool:
        """Whether the current step is looked at."""
        return self.attention.on and not self.failed

    def add_module_hooks(self) -> None:
        """Hears of forwards; only while something is looked at, since they cost a microsecond for each module."""
        if self._hooks or self.compiled or self.failed:
            return
        self.forwards_since_step = 0
        from torch.nn.modules import module

        self.depth, self.root = 0, None
        self._hooks = [
            module.register_module_forward_pre_hook(self._before_forward),
            module.register_module_forward_hook(self._after_forward, always_call=True),
        ]

    def remove_module_hooks(self) -> None:
        """Stops hearing of forwards."""
        for hook in self._hooks:
            hook.remove()
        self._hooks = []
        self.depth, self.root = 0, None

    def adjust(self) -> None:
        """Brings the module hooks in line with what is looked at."""
        if self.attending or self.evaluations.looking or self.metrics.lingers or self.held_sums.is_open:
            self.add_module_hooks()
        elif self.depth == 0:
            self.remove_module_hooks()

    @heard
    def rare_event(self, kind: str) -> None:
        """Looks at the next steps because something has happened that is rare."""
        self.attention.rare_event(kind)
        self.apart(self.figures.hear, self.figures.mark, kind)
        self.adjust()

    def model_compiled(self) -> None:
        """Takes note that the program compiles: its models must stay compiled, so no mode and no module hook from now on."""
        if not self.compiled:
            self.compiled = True
            self.compiled_at = here()
            self.held_sums.abandon()
            self.deep.close()
            self.remove_module_hooks()
            self.watch.not_checked("operations and forwards (compiled model)")

    # ---- construction ----

    @heard
    def optimizer_built(self, optimizer: Any) -> None:
        """An optimizer's constructor, or `add_param_group`, has returned."""
        record = self._known(optimizer) or self._add(optimizer, here(3))
        self._own(record)
        self.apart(self.rates_of_groups.built, record)
        self.row_memory.forget()
        self.inventory.notes_frozen()
        self.attention.rare_event("optimizer")
        self.adjust()
        if self.watch.wants(OptimizerBuilt):
            self.watch.emit(
                OptimizerBuilt(
                    step=self.watch.steps,
                    site=here(3),
                    optimizer=record.event(),
                    parameters=tuple(self.inventory.describe(tensor) for tensor in record.parameters()),
                    decays=tuple(record.decays()),
                )
            )

    def record_of(self, optimizer: Any) -> OptimizerRecord:
        """Returns what is known of an optimizer, which may have been built before we came."""
        record = self._known(optimizer) or self._wrapped_by(optimizer)
        if record is None:
            record = self._add(optimizer, None)
            self._own(record)
        return record

    def _wrapped_by(self, optimizer: Any) -> OptimizerRecord | None:
        """Returns the optimizer whose very groups a wrapper hands on, as Accelerate's does: the two are one."""
        groups = getattr(optimizer, "param_groups", None)
        return next((known for known in self.living_optimizers() if getattr(known.reference(), "param_groups", None) is groups), None)

    def _known(self, optimizer: Any) -> OptimizerRecord | None:
        record = self.optimizers.get(id(optimizer))
        return record if record is not None and record.reference() is optimizer else None

    def _add(self, optimizer: Any, made: Place) -> OptimizerRecord:
        self.optimizer_count += 1
        record = OptimizerRecord(id=f"optimizer:{self.optimizer_count}", optimizer=optimizer, born=self.inventory.tick(), made=made)
        self.optimizers[id(optimizer)] = record
        if self.guard is not None:
            self.guard.adopt(record)
        return record

    def _own(self, record: OptimizerRecord) -> None:
        identifiers = set()
        for tensor in record.owned():
            if hasattr(tensor, "_local_tensor"):
                # Reading a sharded tensor is a collective, and ranks look at different steps: it could hang.
                self.watch.not_checked("PyTorch (its parameters are sharded)")
                self.withdraw()
                return
            known = self.inventory.known(tensor)
            if record.id not in known.owners:
                known.owners = (*known.owners, record.id)
            identifiers.add(id(tensor))
        record.parameter_ids = frozenset(identifiers)
        self.inventory.generation += 1

    @heard
    def unscaled(self, optimizer: Any) -> None:
        """A scaler is about to take its scale out of an optimizer's gradients."""
        self.record_of(optimizer).scaled = False

    @heard
    def scaler_steps(self, optimizer: Any) -> None:
        """A scaler is about to step an optimizer, unless its gradients overflowed."""
        record = self.record_of(optimizer)
        record.attempts += 1
        if record.scaled and record.backward_since_step and self.attending and self.watch.wants(Clip):
            self.apart(self.scaling.clipped_by_hand, record)
        record.scaled = False
        self.through = "scaler"

    def living_optimizers(self) -> Iterable[OptimizerRecord]:
        """Yields the optimizers that still exist."""
        return (record for record in self.optimizers.values() if record.reference() is not None)

    # ---- forward ----

    def _before_forward(self, module: Any, inputs: Any) -> None:
        self.shielded(self._entered, module, inputs)

    def _after_forward(self, module: Any, inputs: Any, output: Any) -> None:
        self.shielded(self._left, module, output)

    def _entered(self, module: Any, inputs: Any) -> None:
        waiting = self.module_hooks.waiting
        if threading.get_ident() != self.thread:
            waiting.clear()  # copies of modules may run there, with their hooks
            return
        if waiting and id(module) in waiting:
            self.hear(self.apart, self.module_hooks.called, module)
        self.depth += 1
        if torch._C._get_tracing_state() is not None:
            return  # even reading a shape would leave a node in the traced graph
        if self.depth == 1:
            self.root = module
            self._root_forward(module, inputs)
        elif self.root is not None and (id(module) not in self._plain or self.inventory.dirty):
            self._inner_forward(module, inputs)
        if isinstance(module, LAYERS):
            self.hear(self.apart, self.carried_states.entered, module, inputs)
            if self.deep.trace is not None and self.watch.wants(StateFedBack):
                self.hear(self.apart, self.cut_states.entered, self.deep.trace, module, inputs)
        if self.deep.trace is not None:
            self.deep.trace.layers.append(self.probing.layer(module))
            if self.watch.wants(OutputUnread):
                self.apart(self.layer_calls.entered, self.deep.trace, module)

    def _left(self, module: Any, output: Any) -> None:
        if threading.get_ident() != self.thread:
            return
        self.depth = max(self.depth - 1, 0)
        if isinstance(module, LAYERS) and torch._C._get_tracing_state() is None:
            self.hear(self.apart, self.carried_states.left, module, output)
            if self.deep.trace is not None:
                self.hear(self.apart, self.cut_states.left, self.deep.trace, module)
        if self.deep.trace is not None and self.deep.trace.layers:
            self.deep.trace.layers.pop()
            if self.watch.wants(OutputUnread):
                self.hear(self.apart, self.layer_calls.left, self.deep.trace, output)
            if has_padding(module):
                self.hear(self.apart, self.padding_rows.left, module, output)  # what it reads is no read of the program
        if self.depth == 0 and torch._C._get_tracing_state() is None:
            if self.skipped_batches.waiting:
                self.hear(self.apart, self.skipped_batches.left, module, output)
            if self.stored_outputs.waiting is not None:
                self.hear(self.apart, self.stored_outputs.left, module, output)
            self.root = None
            if self.evaluations.draws.is_open:
                self.hear(self.evaluations.draws.end)
            if self.evaluations.looking:
                self.hear(self.apart, self.metrics.returned, module, output)
                if self.held_sums.is_due():
                    self.hear(self.apart, self.held_sums.returned)
            if self.deep.trace is not None:
                if self.deep.trace.tape is not None and next(module.parameters(), None) is not None:
                    self.hear(self.probing.returned, self.deep.trace, output)
                self.deep.trace.keep = True
            self.forwards_since_step += 1
            if self.forwards_since_step > MOST_IDLE_FORWARDS and not self.evaluations.looking:
                self.remove_module_hooks()  # a program that only predicts; a step or a rare event brings them back

    @heard
    def _root_forward(self, module: Any, inputs: Any) -> None:
        if self.in_backward or torch.compiler.is_compiling() or transforms.peek_interpreter_stack() is not None:
            return  # under a transform the parameters are stand-ins
        if self.held_sums.is_open:
            self.apart(self.held_sums.close)
        self.metrics.pause()
        self.states.loads.used()
        self.inventory.modules.add(module)
        if module not in self.inventory.entered:
            self.inventory.entered.add(module)
            self.inventory.dirty = True
        if not torch.is_grad_enabled():
            if self.host_seeding.pending:
                self.apart(self.host_seeding.evaluated)
            self.evaluations.forward(module, inputs)
            self.inputs.given(module, inputs, training=False)
            self.apart(self.row_memory.evaluated, module, inputs)
            self.apart(self.selected_rows.evaluated, module, inputs)
            self.apart(self.coded_columns.evaluated, module, inputs)
            self.apart(self.stored_outputs.entered, module, inputs)
            self.apart(self.bootstraps.entered, inputs)
            self.apart(self.left_statistics.evaluated, module)
            return
        if self.watch.wants(StateLeavesOut):
            self.apart(self.left_out.entered, module)
        self.evaluations.learned_from(inputs)
        self.pairing.entered(inputs)
        self.inputs.given(module, inputs, training=True)
        self.apart(self.laid_out.given, inputs)
        self.apart(self.row_lengths.given, module, inputs)
        self.apart(self.skipped_batches.entered, module, inputs)
        self.apart(self.row_memory.learned_from, module, inputs)
        self.apart(self.coded_columns.learned_from, module)
        if self.held_arithmetic.looks_left:
            self.apart(self.held_arithmetic.look)
        if self.merged_casts.looks_left:
            self.apart(self.merged_casts.look)
        self._batch_statistics(module, inputs)
        begins, self.is_between = self.is_between, False
        if self.deep.trace is None and self.deep.is_due(module, begins=begins):
            self.deep.open(module, inputs)
        elif self.deep.trace is not None and next(module.parameters(), None) is not None:
            self.deep.trace.entered.append(tensors_among(inputs))
            self.probing.given(inputs)
            self.deep.trace.keep = False  # another model's forward; a loss module without parameters belongs to the loss

    @heard
    def _inner_forward(self, module: Any, inputs: Any) -> None:
        if self.in_backward or self.root is None:
            return
        if self.inventory.dirty:
            self._plain.clear()
        if not isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
            self._plain.add(id(module))  # looked at once; batch norms are looked at each time
        if module not in self.inventory.foreign and id(module) not in self.inventory.members(self.root):
            outermost = self.inventory.root_of(module)
            # A module that was ever called on its own is a model of its own, not a hidden part of this one.
            if outermost is module and module not in self.inventory.entered and not self._holds_optimized(module):
                self.inventory.found_hidden(module, self.root)
        self._batch_statistics(module, inputs)

    def _holds_optimized(self, module: Any) -> bool:
        return any(self.inventory.known(tensor).owners for tensor in module.parameters())

    def _batch_statistics(self, module: Any, inputs: Any) -> None:
        if not module.training or not isinstance(module, torch.nn.modules.batchnorm._BatchNorm) or not self.watch.wants(BatchStatistics):
            return
        tensor = inputs[0] if inputs else None
        told = self.normalised.get(module, 0)
        if told < MOST_BATCHES and isinstance(tensor, torch.Tensor) and tensor.dim() >= 2 and torch.is_grad_enabled():
            self.normalised[module] = told + 1
            first = next(module.parameters(recurse=False), None)
            self.watch.emit(
                BatchStatistics(
                    step=self.watch.steps,
                    site=here(3),
                    module=self.inventory.module_id(module),
                    kind=type(module).__name__,
                    name=self.inventory.path_of(module),
                    made=self.inventory.known(first).made if first is not None else None,
                    batch_size=tensor.shape[0],
                    num_values=tensor.numel() // max(tensor.shape[1], 1),
                    momentum=running.momentum_of(module),
                    untouched=running.is_untouched(module),
                )
            )

    # ---- backward ----

    @heard
    def before_backward(self, tensors: Any) -> None:
        """A backward is about to run on one tensor or several."""
        roots = [
            tensor for tensor in ((tensors,) if isinstance(tensors, torch.Tensor) else tuple(tensors)) if isinstance(tensor, torch.Tensor)
        ]
        if self.held_sums.is_open:
            self.apart(self.held_sums.close)
        trace = self.deep.close()
        self.is_between = True
        self.backwards += 1
        if self.skipped_batches.waiting:
            self.apart(self.skipped_batches.differentiated)
        if not self.attending:
            self.in_backward = True
            return
        site = here(3)
        self.ran(site)
        self.last_backward = site
        self.apart(self.figures.hear, self.figures.loss, roots, site)
        if self.diagrams.waiting:
            self.apart(self.diagrams.draw)
        if self.batch_generators.looks_left:
            self.apart(self.batch_generators.look)
        found, whole = graph.leaves(roots)
        is_leaf = all(tensor.grad_fn is None for tensor in roots)
        mixed_with: Place = None
        leaves = self._described(found, roots)
        reached = {id(tensor) for tensor in found}
        models = self.modes.roots_of(found)
        for record in self.living_optimizers():
            touched = not record.parameter_ids.isdisjoint(reached)
            unchanged = record.is_unchanged(record.after_step) if record.attended_last else None
            if unchanged is False:
                record.carried = False
            elif unchanged and touched:
                record.carried = True
            if touched:
                record.contributions.differentiates(record, site=site, reached=reached)
                mixed_with = mixed_with or record.mixed_with(reached, self.pending_scale)
                record.reached = (record.reached if record.backward_since_step else frozenset()) | (reached & record.parameter_ids)
                record.backward_since_step = True
                record.backward_site = site
                record.idle.reached(record)
                record.scaled = self.pending_scale
                record.discarded = None
        if self.host_seeding.pending:
            self.apart(self.host_seeding.trains)
        self.apart(self.kept_graphs.differentiated, roots, site)
        self.apart(self.gathered_tensors.differentiated, site)
        self.modes.seen_in_backward()
        self.loaders.learned_from()
        self.ties.check(reached)
        template = trace.template if trace is not None else None
        if trace is not None and len(roots) == 1:
            self.apart(self.investigation.recorded, trace, roots[0], site)
        if self.journal is not None:
            self.apart(self.journal.differentiates, roots, found, trace, template, site)
        if trace is not None:
            self.apart(self._listen_for_underflow, trace, roots, site)
        self.apart(self.states.loads.used)
        if self.watch.wants(UnreadAttribute):
            self.apart(self.attributes.look, models, reached)
        self.apart(self.repeats.tell)
        self.apart(self.spent_iterators.look)
        if self.module_hooks.waiting:
            self.apart(self.module_hooks.differentiated, reached)
        if self.watch.wants(Discarded):
            self.apart(self.discards.look)
            if trace is not None:
                self.apart(self.discards.read_trace, trace)
        if trace is not None and self.watch.wants(Loss):
            self.deep.tell(trace, roots[0], leaves=leaves if whole else (), found=found, is_leaf=is_leaf, site=site)
        if self.watch.wants(Backward):
            self.watch.emit(
                Backward(
                    step=self.watch.steps,
                    site=site,
                    leaves=leaves if whole else (),
                    modes=self.modes.behind(models),
                    scaled=self.pending_scale,
                    first_since_step=self.first_since_step,
                    is_leaf=is_leaf,
                    num_ties=self.ties.num_living(reached),
                    mixed_with=mixed_with,
                )
            )
        self.modes.trained(models)
        self.pending_scale = False
        self.investigation.accumulates = self.investigation.accumulates or not self.first_since_step
        self.first_since_step = False
        self.in_backward = True

    def _listen_for_underflow(self, trace: Trace, roots: list[Any], site: Place) -> None:
        self.underflow.listen(trace, roots, site, scaled=self.pending_scale)

    @heard
    def after_backward(self) -> None:
        """A backward has ended, well or not."""
        self.in_backward = False
        self.apart(self.underflow.tell)
        if self.investigation.accumulates:
            self.apart(self.statistics.between)
        if not self.attending:
            return
        for record in self.living_optimizers():
            record.after_backward = record.sample() if record.backward_since_step else None
            if record.carried:
                # What accumulates from here on is still on top of what was never cleared.
                record.after_step = record.sample()
            if record.backward_since_step and self.watch.wants(GradientsReplaced):
                self.apart(self.replaced_gradients.differentiated, record)
        self._stepless += 1
        if self._stepless > MOST_STEPLESS:
            self._count_step()

    def _described(self, found: list[Any], roots: list[Any]) -> tuple[Parameter, ...]:
        inventory = self.inventory
        if inventory.dirty:
            inventory._refresh()
        key = tuple(map(id, found))
        cached = self._leaves_cache
        if cached is not None and cached[0] == key and cached[1] == inventory.generation:
            return cached[2]
        unowned = False
        leaves = []
        for tensor in found:
            alone = not inventory.known(tensor).owners and not any(tensor is root for root in roots)
            unowned = unowned or alone
            leaves.append(inventory.describe(tensor, watch_values=alone and bool(self.optimizers)))
            self.syncs += alone and tensor.is_cuda
        result = tuple(leaves)
        self._leaves_cache = None if unowned else (key, inventory.generation, result)
        return result

    def ran(self, site: Place) -> None:
        """Notes that a line has run: only of such lines can it be said that an ignore was of no use."""
        if isinstance(site, Site) and site not in self._seen:  # finding the line is the costly part, and sites repeat
            self._seen.add(site)
            path, line = site.key
            self.watch.executed.setdefault(path, set()).add(line)

    def answer(self, ask: Ask) -> Answer:
        """Answers a rule's question about the step that is being told, or after the end about the first steps."""
        if ask.measure is Measure.HELD_OUT:
            return self._try(ask)
        if ask.intervention.subject.partition(":")[0] in ("sample", "column", "future", "padding"):
            return self.probing.answer(ask)
        return replay.answer(self.deep.told, self.deep.loss, ask)

    def _try(self, fix: Ask) -> Answer:
        if self.journal is None or any(name.startswith("Journal.") for name in self._switched_off):
            return Answer(ask=fix, why_not="the first steps are not recorded whole")
        if self.rehearsal is None:
            from tensan.adapters.torch.rehearsal import Rehearsal

            self.rehearsal = Rehearsal(self.journal, steps=self.watch.steps)
        began = time.thread_time_ns()
        answer = self.rehearsal.answer(fix)
        took = time.thread_time_ns() - began
        self.watch.budget.charge(took)
        self.watch.cost["trials_ms"] = round(self.watch.cost.get("trials_ms", 0) + took / 1e6, 3)
        return answer

    # ---- optimizer ----

    @heard
    def before_step(self, optimizer: Any, closure: bool = False) -> None:
        """An optimizer is about to change its parameters; where it is given a closure, once that has computed the gradients."""
        if self.held_sums.is_open:
            self.apart(self.held_sums.close)
        self.deep.close()
        self.in_backward = False
        record = self.record_of(optimizer)
        if self.through != "scaler":
            record.attempts += 1
        if closure and self.guard is not None:
            self.guard.closure_given(record)
        if not closure and not (self.guard is not None and self._is_turned_away(self.guard, record)):
            self.statistics.before_step(record)
        if not self.attending:
            return
        site = here(3)
        self.ran(site)
        if self.journal is not None and not closure:
            self.apart(self.journal.steps, record)
        if self.watch.wants(Discarded):
            self.apart(self.discards.look)
        self.apart(record.cleared_by_hand, site)
        with_gradient, without_gradient, num_gradients = [], [], 0
        for tensor in record.parameters():
            if tensor.requires_grad:
                if tensor.grad is not None:
                    with_gradient.append(tensor)
                    num_gradients += 1
                else:
                    without_gradient.append(tensor)
                    self.inventory.without_gradient(tensor)
        if with_gradient and record.discarded is not None and not record.backward_since_step:
            self.apart(record.written_after_clearing)
        if record.discarded is not None and not record.backward_since_step:
            with_gradient, num_gradients = [], 0  # what is left are zeros
        if self.resumes.waiting:
            self.apart(self.resumes.stepping, record)
        self.apart(self.equal_units.look, record)
        if self.watch.wants(GradientsReplaced):
            self.apart(self.replaced_gradients.stepping, record)
        if self.watch.wants(StrayRate):
            for stray in self.stray_rates.of(record):
                self.watch.emit(stray)
        if self.watch.wants(GroupRates):
            self.apart(self.rates_of_groups.stepping, record)
        if self.watch.wants(AveragesCompared):
            self.apart(self.trained_averages.steps, record)
        unchanged = record.is_unchanged(record.after_step) if record.attended_last else None
        fresh = None if not record.attended_last or not num_gradients else not (unchanged is True and not record.backward_since_step)
        left_over = record.contributions.stepping(steps=record.steps)
        if self.watch.wants(OptimizerStep):
            describe = self.inventory.describe
            self.watch.emit(
                OptimizerStep(
                    step=self.watch.steps,
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
        record = self.record_of(optimizer)
        guard = self.guard
        if self.journal is not None and self.attending:
            if again:
                self.apart(self.journal.refuse, "a step computes its gradients several times, in a closure")
            else:
                self.apart(self.journal.steps, record)
        if guard is not None and not again and self._is_turned_away(guard, record, closure=True):
            return guard.can_call_off(record)
        if again:
            self.statistics.test(record, attending=self.attending)
        else:
            self.statistics.before_step(record)
        return False

    def give_back(self, optimizer: Any) -> None:
        """Puts gradients back that were hidden from a step."""
        record = self.optimizers.get(id(optimizer))
        if record is None:
            return
        for tensor, gradient in record.held:
            tensor.grad = gradient
        record.held = []

    def _shared_with(self, record: OptimizerRecord) -> str | None:
        """Returns another optimizer that has stepped on these very gradients since the last backward."""
        if record.backward_since_step is False:
            return None
        for other in self.living_optimizers():
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

    def idle_before_step(self, optimizer: Any) -> bool:
        """Tells, on a step that is not looked at, whether there is something to do all the same."""
        statistics = self.statistics
        wait = statistics.finite_wait = statistics.finite_wait - 1
        return wait <= 0 or self.guard is not None or statistics.tripped(optimizer)

    def idle_schedule(self, scheduler: Any) -> bool:
        """Counts a schedule's step that is not looked at; returns False where it must be looked at all the same."""
        try:
            return self.schedules.idle_step(scheduler)
        except Exception as error:  # noqa: BLE001 - the guest never breaks the host
            self.fail(error)
            return False

    def idle_after_step(self, optimizer: Any) -> None:
        """Counts a step that is not looked at: this is all that watching costs most of the time."""
        record = self.optimizers.get(id(optimizer))
        watch, attention = self.watch, self.attention
        if record is None or self.guard is not None or attention.skip <= 1 or watch.steps + 1 >= self.limit:
            self.after_step(optimizer)
            return
        attention.skip -= 1
        attention.skipped += 1
        record.steps += 1
        watch.steps += 1
        if self.held_sums.follows:
            self.hear(self.apart, self.held_sums.idle_stepped)

    @heard
    def after_step(self, optimizer: Any) -> None:
        """An optimizer has changed its parameters."""
        record = self.record_of(optimizer)
        self.give_back(optimizer)
        if self.guard is not None:
            self.guard.charged(self.guard.stepped, record)
        record.steps += 1
        self.watch.steps += 1
        carried = record.carried
        record.backward_since_step, record.discarded, record.carried = False, None, False
        record.scaled = False
        record.contributions.forget()
        self.first_since_step = True
        attended = self.attending
        record.attended_last = attended
        if attended:
            for other in self.living_optimizers():
                if other is not record and other.parameter_ids.isdisjoint(record.parameter_ids):
                    other.contributions.used_by(record.parameter_ids)
            record.after_step = record.sample()
            self.statistics.after_step(record)
            if self.watch.wants(AveragesCompared):
                self.apart(self.trained_averages.stepped, record)
            self.investigation.step_done()
            record.rates()
            self.apart(self.figures.hear, self.figures.stepped, record, self.statistics.moved)
            if self.watch.wants(StepEnd):
                self.watch.emit(StepEnd(step=self.watch.steps, optimizer=record.id, carried=carried, backward=record.backward_site))
        else:
            record.after_step = None
        self.forwards_since_step = self._stepless = 0
        self._count_step()
        if attended:
            self.apart(self.held_sums.stepped)
        if self.watch.steps >= self.limit:
            raise Stopped(f"--steps {self.limit}")

    def _count_step(self) -> None:
        attended = self.attention.on
        if self.attention.step_done() or (attended and not self._hooks):
            self.adjust()
            if not self.attention.on:
                for other in self.living_optimizers():
                    other.attended_last = False

    @heard
    def zero_grad(self, parameters: Iterable[Any], optimizer: Any = None) -> None:
        """Gradients are about to be cleared by `zero_grad` of an optimizer or a module."""
        if not self.attending:
            return
        if optimizer is not None:
            records = [self.record_of(optimizer)]
        else:
            parameters = list(parameters)
            identifiers = {id(tensor) for tensor in parameters}
            records = [record for record in self.living_optimizers() if not record.parameter_ids.isdisjoint(identifiers)]
        if self.journal is not None:
            self.apart(self.journal.cleared, parameters if optimizer is None else list(records[0].parameters()))
        site = here(3)
        for record in records:
            unused = record.backward_since_step and any(tensor.grad is not None for tensor in record.parameters())
            if unused:
                record.discarded = site
                record.backward_since_step = False
            record.carried = False
            record.contributions.forget()
            record.after_step = None if record.attended_last and not unused else record.after_step
        if self.watch.wants(ZeroGrad):
            self.watch.emit(ZeroGrad(step=self.watch.steps, site=site, optimizer=records[0].id if records else None))

    @heard
    def clip(self, parameters: list[Any], limit: float, norm: float | None = None) -> None:
        """Gradients are about to be clipped, by value where there is no norm."""
        if self.attending and self.journal is not None:
            self.apart(self.journal.clipped, parameters, limit, norm)
        if not self.attending or not self.watch.wants(Clip):
            return
        identifiers = {id(tensor) for tensor in parameters}
        records = [record for record in self.living_optimizers() if not record.parameter_ids.isdisjoint(identifiers)]
        gradients = sum(tensor.grad is not None for tensor in parameters)
        known = [record for record in records if record.attended_last or record.steps == 0]
        self.watch.emit(
            Clip(
                step=self.watch.steps,
                site=here(3),
                optimizers=tuple(record.id for record in records),
                after_step=bool(known) and gradients > 0 and all(record.steps > 0 and not record.backward_since_step for record in known),
                scaled=bool(records) and any(record.scaled and record.backward_since_step for record in records),
                limit=limit,
                num_gradients=gradients,
                num_parameters=len(parameters),
                parameters=() if gradients else tuple(self.inventory.known(tensor).id for tensor in parameters[:64]),
            )
        )

    # ---- the end ----

    def finish(self, *, status: str) -> None:
        """Tells what can be judged at the end."""
        self.apart(self.held_sums.close)
        self.deep.close()
        self.apart(self.metrics.settle)
        self.remove_module_hooks()
        if self.failed:
            return
        if self.guard is not None:
            self.hear(self.apart, self.guard.finish)
        try:
            self.statistics.finish()
            self.loaders.finish()
            self.apart(self.classes.finish)
            self.apart(self.sameness.finish)
            self.apart(self.selected_rows.finish)
            self.apart(self.skipped_batches.finish)
            self.apart(self.spent_iterators.finish)
            self.padding_rows.tell()
            if self.compiled:
                self.apart(recompilations.tell, self)
            if self.module_hooks.waiting and not self.compiled:
                self.apart(self.module_hooks.finish)
            self.apart(self.tensor_hooks.finish)
            self.watch.receive()
            self.watch.emit(
                RunEnd(
                    step=self.watch.steps,
                    status=status,
                    schedulers=self.schedules.events(),
                    loaders=self.loaders.events(),
                    optimizers=tuple(record.final_event() for record in self.optimizers.values()),
                    parameters=self.inventory.settled(),
                )
            )
        except Exception as error:  # noqa: BLE001
            self.fail(error)
        self.apart(self.figures.hear, self.figures.finish)
        self.apart(self.diagrams.finish)
        self.watch.cost |= {
            "hook_calls": self.calls,
            "device_syncs": self.syncs,
            "deep_steps": self.deep.count,
            "windows": self.attention.num_windows,
            "self_time_ms": round(self.watch.budget.spent / 1e6, 3),
        }


def _negated(answer: bool | None) -> bool | None:
    return None if answer is None else not answer
