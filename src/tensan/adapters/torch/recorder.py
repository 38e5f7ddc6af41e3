"""Turns what torch is asked to do into events: the state behind all patched functions and hooks."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensan.adapters.torch import recompilations, replay
from tensan.adapters.torch.arithmetic_lines import ArithmeticLines
from tensan.adapters.torch.attention import Attention
from tensan.adapters.torch.attributes import Attributes
from tensan.adapters.torch.backwards import Backwards
from tensan.adapters.torch.batch_generators import BatchGenerators
from tensan.adapters.torch.bootstraps import Bootstraps
from tensan.adapters.torch.carried_states import CarriedStates
from tensan.adapters.torch.checkpointing import Checkpointing
from tensan.adapters.torch.class_names import ClassNames
from tensan.adapters.torch.classes import Classes
from tensan.adapters.torch.coded_columns import CodedColumns
from tensan.adapters.torch.cut_states import CutStates
from tensan.adapters.torch.deep_steps import DeepSteps
from tensan.adapters.torch.diagrams import Diagrams
from tensan.adapters.torch.discards import Discards
from tensan.adapters.torch.dropped_columns import DroppedColumns
from tensan.adapters.torch.equal_rows import EqualRows
from tensan.adapters.torch.equal_units import EqualUnits
from tensan.adapters.torch.evaluations import Evaluations
from tensan.adapters.torch.figures import Figuring
from tensan.adapters.torch.forwards import Forwards
from tensan.adapters.torch.gathered_tensors import GatheredTensors
from tensan.adapters.torch.group_rates import RatesOfGroups
from tensan.adapters.torch.heard import heard
from tensan.adapters.torch.held_arithmetic import HeldArithmetic
from tensan.adapters.torch.held_sums import HeldSums
from tensan.adapters.torch.host_seeding import HostSeeding
from tensan.adapters.torch.inputs import Inputs
from tensan.adapters.torch.inventory import Inventory
from tensan.adapters.torch.investigation import Investigation
from tensan.adapters.torch.journal import MOST_STEPS, Journal
from tensan.adapters.torch.kept_graphs import KeptGraphs
from tensan.adapters.torch.known_optimizers import KnownOptimizers
from tensan.adapters.torch.labels import Labels
from tensan.adapters.torch.laid_out import LaidOut
from tensan.adapters.torch.layer_calls import LayerCalls
from tensan.adapters.torch.left_out import LeftOut
from tensan.adapters.torch.left_statistics import LeftStatistics
from tensan.adapters.torch.loaders import Loaders
from tensan.adapters.torch.merged_casts import MergedCasts
from tensan.adapters.torch.metrics import Metrics
from tensan.adapters.torch.mixtures import Mixtures
from tensan.adapters.torch.modes import Modes
from tensan.adapters.torch.module_hooks import ModuleHooks
from tensan.adapters.torch.own_statistics import OwnStatistics
from tensan.adapters.torch.padding_rows import PaddingRows
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
from tensan.adapters.torch.steps import Steps
from tensan.adapters.torch.stored_outputs import StoredOutputs
from tensan.adapters.torch.switches import Switches
from tensan.adapters.torch.tensor_hooks import TensorHooks
from tensan.adapters.torch.ties import Ties
from tensan.adapters.torch.trained_averages import TrainedAverages
from tensan.adapters.torch.trained_on import TrainedOn
from tensan.adapters.torch.turned_boxes import TurnedBoxes
from tensan.adapters.torch.turned_inputs import TurnedInputs
from tensan.adapters.torch.underflow import Underflow
from tensan.adapters.torch.untraced import untraced
from tensan.adapters.torch.worker_messages import WorkerMessages
from tensan.core.asks import Answer, Ask, Measure
from tensan.core.events.run import RunEnd
from tensan.core.replay_token import expected_steps
from tensan.core.sites import Place, Site, here
from tensan.core.watch import Stopped, Watch

if TYPE_CHECKING:
    from tensan.adapters.torch.guard import Guard
    from tensan.adapters.torch.rehearsal import Rehearsal


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
        self.optimizers = KnownOptimizers(self)
        self.forwards = Forwards(self)
        self.backwards = Backwards(self)
        self.steps = Steps(self)
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
        self.class_names = ClassNames(self)
        self.row_lengths = RowLengths(self)
        self.row_memory = RowMemory(self)
        self.sameness = Sameness(self)
        self.selected_rows = SelectedRows(self)
        self.turned_inputs = TurnedInputs(self)
        self.turned_boxes = TurnedBoxes(self)
        self.mixtures = Mixtures(self)
        self.stored_outputs = StoredOutputs(self)
        self.carried_states = CarriedStates(self)
        self.cut_states = CutStates(self)
        self.bootstraps = Bootstraps(self)
        self.skipped_batches = SkippedBatches(self)
        self.equal_units = EqualUnits(self)
        self.replaced_gradients = ReplacedGradients(self)
        self.labels = Labels(self)
        self.pairing = Pairing(self)
        self.trained_on = TrainedOn(self)
        self.coded_columns = CodedColumns(self)
        self.own_statistics = OwnStatistics(self)
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
        self._switched_off: set[str] = set()
        self._seen: set[Site] = set()
        self.guard: Guard | None = None
        if not watch.gate.is_open:
            self.stand_guard()

    def stand_guard(self) -> None:
        """Puts somebody before each step who asks the gate."""
        from tensan.adapters.torch.guard import Guard  # most runs have none

        self.guard = self.guard or Guard(self)
        for record in self.optimizers.living():
            self.guard.adopt(record)

    # ---- ourselves ----

    @property
    def recorder(self) -> Recorder:
        """What `heard` looks for: the recorder is guarded as its parts are."""
        return self

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
        for cleanup in (self.deep.close, self.held_sums.abandon, self.evaluations.abandon, self.forwards.remove_hooks):
            with contextlib.suppress(Exception):  # the reason to stop is told already
                cleanup()

    @property
    def attending(self) -> bool:
        """Whether the current step is looked at."""
        return self.attention.on and not self.failed

    @heard
    def rare_event(self, kind: str) -> None:
        """Looks at the next steps because something has happened that is rare."""
        self.attention.rare_event(kind)
        self.apart(self.figures.hear, self.figures.mark, kind)
        self.forwards.adjust()

    def model_compiled(self) -> None:
        """Takes note that the program compiles: its models must stay compiled, so no mode and no module hook from now on."""
        if not self.compiled:
            self.compiled = True
            self.compiled_at = here()
            self.held_sums.abandon()
            self.deep.close()
            self.forwards.remove_hooks()
            self.watch.not_checked("operations and forwards (compiled model)")

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

    # ---- the end ----

    def finish(self, *, status: str) -> None:
        """Tells what can be judged at the end."""
        self.apart(self.held_sums.close)
        self.deep.close()
        self.apart(self.metrics.settle)
        self.forwards.remove_hooks()
        if self.failed:
            return
        if self.guard is not None:
            self.hear(self.apart, self.guard.finish)
        try:
            self.statistics.finish()
            self.loaders.finish()
            self.apart(self.classes.finish)
            self.apart(self.class_names.finish)
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
                    optimizers=tuple(record.final_event() for record in self.optimizers.by_id.values()),
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
