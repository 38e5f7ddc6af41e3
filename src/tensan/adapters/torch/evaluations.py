"""Looks at what happens while gradients are off: a model run there, in which mode, and what its output is used for."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import Counter, deque
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.draws import Draws
from tensan.adapters.torch.overwritten_outputs import OverwrittenOutputs
from tensan.adapters.torch.trace import Trace, key_of, storage_of
from tensan.core.events.evaluation import Evaluation
from tensan.core.events.source import Discarded
from tensan.core.operations import LOSS, ancestors
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Regions with gradients off that are looked at without asking the budget, and of one place, which may first be reached late.
FIRST_LOOKS = 12
FIRST_OF_PLACE = 4
#: After so many looks at one place without a forward, the place is not looked at again.
FRUITLESS = 2
#: Nanoseconds that a look is expected to take, for the budget.
LOOK = 1_500_000
#: Forwards of one region that are compared with each other.
MOST_FORWARDS = 3
#: Inputs of forwards with gradients that are remembered, and inputs of evaluations.
MOST_INPUTS = 32
#: Values of an input that is looked through for repeated rows.
MOST_VALUES = 1 << 20

_COMPARING = frozenset({"compare", "sub"}) | LOSS

#: Where a region begins: the code that switches gradients off, and the instruction in it.
_Region = tuple[Any, int]

_TORCH = os.path.dirname(torch.__file__) + os.sep
#: Frames by which `@torch.no_grad()` runs what it decorates: they are the same for all decorated functions.
_DECORATORS = frozenset({"decorate_context", "generator_context"})


class Evaluations:
    """One region at a time: from where gradients were switched off until they come back."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.looking = False
        self.depth = 0
        self.looks = 0
        self._looked: Counter[_Region] = Counter()
        self._fruitless: dict[_Region, int] = {}
        self._place: _Region = (None, 0)
        self._began = 0
        self._trace: Trace | None = None
        self._module: Any = None
        self._site: Place = None
        self._inputs: list[_Input] = []
        self._repeated = False
        self._source: str | None = None
        self._modes: tuple[Any, ...] = ()
        self._chosen = False
        self._passed: weakref.WeakSet[Any] = weakref.WeakSet()
        self._learned: deque[_Input] = deque(maxlen=MOST_INPUTS)
        #: The last step with a forward that was looked at, and since when all were.
        self._learned_at, self._learned_since = -1, -(1 << 30)
        self._evaluated: deque[_Input] = deque(maxlen=MOST_INPUTS)
        self._from_training: bool | None = False
        self._stacked = False
        self.draws = Draws(recorder)
        self.overwritten = OverwrittenOutputs(recorder)

    @property
    def is_tracing(self) -> bool:
        """Whether a dispatch mode of ours is active."""
        recorder, own = self.recorder, self._trace is not None and self._trace._open
        return own or self.draws.is_open or recorder.metrics.is_open or recorder.held_sums.is_open

    def abandon(self) -> None:
        """Takes out whatever dispatch mode of ours is active: nobody will hear of the end of what it looks at."""
        self.looking = False
        self.draws.abandon()
        self.recorder.metrics.abandon()
        self.recorder.held_sums.abandon()
        if self._trace is not None and self._trace._open:
            self._trace.close()

    def learned_from(self, inputs: Any) -> None:
        """A model is about to run with gradients: what it gets is training data."""
        tensor = next((item for item in inputs if isinstance(item, torch.Tensor)), None)
        if tensor is not None:
            self._learned.append(_Input(tensor))
            steps = self.recorder.watch.steps
            if steps - self._learned_at > 1:
                self._learned_since = steps
            self._learned_at = steps

    def _is_from_training(self, tensor: Any) -> bool | None:
        """Tells whether a tensor is an input of training too; None where the last forwards were not looked at and it is a new one."""
        if any(known.is_still(tensor) for known in self._learned):
            return True
        steps, turns = self.recorder.watch.steps, sum(1 for _ in self.recorder.optimizers.living())
        looked_at = steps - self._learned_at <= 1 and steps - self._learned_since >= turns  # each may have had its own forward
        kept = any(known.is_still(tensor) for known in self._evaluated)  # data held back, unless training takes other parts of it
        kept = kept and not any(known.is_still(tensor, whole=False) for known in self._learned)
        self._evaluated.append(_Input(tensor))
        return False if looked_at or kept else None

    def enters(self, frame: FrameType) -> None:
        """Gradients were switched off by that frame, which clipping does in each step: most places are known to be of no interest."""
        recorder = self.recorder
        if recorder.busy or threading.get_ident() != recorder.thread:
            return
        self.depth += 1
        if self.depth == 1:
            place = _place_of(frame)
            if place is not None and self._fruitless.get(place, 0) < FRUITLESS:
                recorder.hear(self.entered, place)

    def leaves(self) -> None:
        """Gradients come back."""
        recorder = self.recorder
        if recorder.busy or threading.get_ident() != recorder.thread:
            return
        self.depth = max(self.depth - 1, 0)
        if self.depth == 0 and self.looking:
            recorder.hear(self.left)

    def entered(self, place: _Region) -> None:
        """An outermost region without gradients begins."""
        recorder = self.recorder
        if recorder.backwards.is_running or recorder.compiled or recorder.failed or recorder.deep.trace is not None:
            return
        if recorder.backwards.count == 0 or not recorder.watch.wants(Evaluation):
            return
        free = self.looks < FIRST_LOOKS or self._looked[place] < FIRST_OF_PLACE
        if not free and not recorder.watch.budget.allows(LOOK):
            return
        self._place, self._began = place, time.time_ns()
        self.overwritten.entered()
        recorder.held_sums.entered()
        self._looked[place] += 1
        self.looks += 1
        self.looking = True
        if recorder.watch.wants(Discarded):
            recorder.apart(recorder.discards.look)
        self._module, self._trace, self._inputs = None, None, []
        self._stacked, self._repeated, self._from_training = False, False, False
        self._passed.clear()
        recorder.forwards.add_hooks()

    def left(self) -> None:
        """The region ends."""
        self.looking = False
        self.recorder.apart(self.recorder.held_sums.close)
        self.recorder.apart(self.recorder.metrics.finish)
        try:
            self._tell()
        finally:
            self._trace, self._module = None, None
            self.recorder.forwards.adjust()

    def forward(self, module: Any, inputs: Any) -> None:
        """A model is about to run with gradients off."""
        if not self.looking:
            return
        tensors = [item for item in inputs if isinstance(item, torch.Tensor)]
        if self._module is None or (module is not self._module and self._is_quieter_than(module)):
            recorder = self.recorder
            self._inputs, self._repeated = [], False
            root = recorder.inventory.root_of(module)
            self._module, self._site = module, here(3)
            self._modes = recorder.modes.of(root)
            self._chosen = recorder.modes.chosen_since_backward(root)
            source = recorder.loaders.source_of(tensors[0]) if tensors else None
            self._source = source.id if source is not None else None
            self._from_training, self._stacked = False, False
            if tensors and any(mode.training for mode in self._modes):
                known = self._is_from_training(tensors[0])
                self._from_training = known if source is None else bool(known)
                self._stacked = _repeats_rows(tensors[0])
            if any(mode.training for mode in self._modes):
                subjects = {storage_of(tensor): recorder.inventory.known(tensor).id for tensor in root.parameters()}
                trace = Trace(subjects, owner=recorder)
                self._trace = trace if trace.open() else None
        elif self._trace is not None and self._trace.operations and len(self._inputs) >= MOST_FORWARDS:
            self._close_trace()
        if module is self._module and len(self._inputs) < 16 and tensors:
            self._repeated = self._repeated or any(known.is_still(tensors[0]) for known in self._inputs)
            self._inputs.append(_Input(tensors[0]))
        self.draws.begin(module, tensors, is_stacked=_repeats_rows)
        if module is self._module and tensors:
            self.recorder.apart(self.overwritten.forward, tensors[0])

    def _is_quieter_than(self, module: Any) -> bool:
        """Tells whether nothing of what ran so far works in train mode, but something of this model does."""
        if any(mode.training for mode in self._modes) or module in self._passed:
            return False
        self._passed.add(module)
        return any(mode.training for mode in self.recorder.modes.of(self.recorder.inventory.root_of(module)))

    def _close_trace(self) -> None:
        if self._trace is not None and self._trace._open:
            self._trace.close()
            self.recorder.watch.budget.charge(self._trace.spent)

    def _tell(self) -> None:
        self._close_trace()
        recorder = self.recorder
        if self._module is None:
            self._fruitless[self._place] = self._fruitless.get(self._place, 0) + 1
            return
        recorder.apart(recorder.figures.hear, recorder.figures.evaluated, self._site, self._began)
        recorder.watch.emit(
            Evaluation(
                step=recorder.watch.steps,
                site=self._site,
                module=recorder.inventory.module_id(recorder.inventory.root_of(self._module)),
                modes=self._modes,
                has_trained=recorder.modes.has_trained(recorder.inventory.root_of(self._module)),
                mode_chosen=self._chosen,
                repeated=self._stacked or self._repeated,
                compared=self._trace is not None and _compares(self._trace),
                from_loader=self._source,
                from_training=self._from_training,
            )
        )


def _place_of(frame: FrameType) -> _Region | None:
    """Returns where gradients are switched off; None where torch does it for itself."""
    code = frame.f_code
    if not code.co_filename.startswith(_TORCH):
        return code, frame.f_lasti
    function = frame.f_locals.get("func") if code.co_name in _DECORATORS else None
    decorated = getattr(function, "__code__", None)
    return None if decorated is None or decorated.co_filename.startswith(_TORCH) else (decorated, -1)


class _Input:
    """What a model was given, by its place in memory for as long as that is in use."""

    __slots__ = ("key", "reference")

    def __init__(self, tensor: Any) -> None:
        self.reference = weakref.ref(_memory_of(tensor))
        self.key = key_of(tensor)

    def is_still(self, tensor: Any, *, whole: bool = True) -> bool:
        """Tells whether a tensor is the same input, or, where not the whole is asked for, another part of the same data."""
        if self.reference() is None or self.key[0] < 0:
            return False
        return key_of(tensor) == self.key if whole else storage_of(tensor) == self.key[0]


def _memory_of(tensor: Any) -> Any:
    """Returns the tensor that a view looks into: the view itself is often gone at once."""
    return tensor if tensor.is_inference() or tensor._base is None else tensor._base


def _repeats_rows(tensor: Any) -> bool:
    """Tells whether a batch is made of a few samples, each as often as the others, as for many draws at once."""
    plain = type(tensor) is torch.Tensor and tensor.layout is torch.strided and not (tensor.is_nested or tensor.is_meta)
    if not plain or tensor.is_quantized or (tensor.is_floating_point() and tensor.itemsize < 2):
        return False
    if tensor.dim() < 2 or len(tensor) < 2 or not 0 < tensor.numel() <= MOST_VALUES:
        return False
    rows = tensor.detach().reshape(len(tensor), -1)
    times = int((rows == rows[0]).all(1).sum())
    if times < 2 or len(rows) % times:
        return False
    each = len(rows) // times
    behind, beside = rows.view(times, each, -1), rows.view(each, times, -1)
    return bool((behind == behind[:1]).all()) or bool((beside == beside[:, :1]).all())


def _compares(trace: Trace) -> bool:
    """Tells whether something that the model made meets something that it did not make, as a prediction meets its target."""
    operations = trace.operations
    made = [False] * len(operations)  # whether an operation's result depends on a parameter
    for operation in operations:
        made[operation.index] = any(
            (value.subject or "").startswith("parameter") or (value.producer >= 0 and made[value.producer]) for value in operation.inputs
        )
    for operation in operations:
        if operation.name not in _COMPARING or len(operation.inputs) < 2:
            continue
        left, right = operation.inputs[:2]
        sides = [value.producer >= 0 and made[value.producer] for value in (left, right)]
        other = right if sides[0] else left
        outside = (other.subject is None or other.subject == "batch") and (
            other.producer < 0 or not any(made[index] for index in ancestors(operations, [other.producer]))
        )
        if sides[0] != sides[1] and outside and len(other.shape) > 0:
            return True
    return False
