"""Looks at what happens while gradients are off: a model run there, in which mode, and what its output is used for."""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.trace import Trace, key_of, storage_of
from tensan.core.events import Evaluation
from tensan.core.operations import LOSS, ancestors
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Regions with gradients off that are looked at without asking the budget.
FIRST_LOOKS = 12
#: After so many looks at one place without a forward, the place is not looked at again.
FRUITLESS = 2
#: Nanoseconds that a look is expected to take, for the budget.
LOOK = 1_500_000
#: Forwards of one region that are compared with each other.
MOST_FORWARDS = 3

_COMPARING = frozenset({"compare", "sub"}) | LOSS


class Evaluations:
    """One region at a time: from where gradients were switched off until they come back."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.looking = False
        self.depth = 0
        self.looks = 0
        self._fruitless: dict[tuple[Any, int], int] = {}
        self._place: tuple[Any, int] = (None, 0)
        self._trace: Trace | None = None
        self._module: Any = None
        self._site: Place = None
        self._inputs: list[tuple[Any, ...]] = []
        self._output_storages: set[int] = set()
        self._source: str | None = None
        self._modes: tuple[Any, ...] = ()
        self._chosen = False
        self._passed: weakref.WeakSet[Any] = weakref.WeakSet()

    def entered(self) -> None:
        """Gradients were switched off; only the outermost region counts."""
        self.depth += 1
        recorder = self.recorder
        if self.depth > 1 or recorder.in_backward or recorder.compiled or recorder.failed or recorder.trace is not None:
            return
        frame = sys._getframe(2)
        self._place = frame.f_code, frame.f_lasti
        if self._fruitless.get(self._place, 0) >= FRUITLESS or not recorder.watch.wants(Evaluation):
            return
        if recorder.backwards == 0 or (self.looks >= FIRST_LOOKS and not recorder.watch.budget.allows(LOOK)):
            return
        self.looks += 1
        self.looking = True
        self._module, self._trace, self._inputs, self._output_storages = None, None, [], set()
        self._passed.clear()
        recorder.add_module_hooks()

    def left(self) -> None:
        """Gradients come back."""
        self.depth = max(self.depth - 1, 0)
        if self.depth or not self.looking:
            return
        self.looking = False
        try:
            self._tell()
        finally:
            self._trace, self._module = None, None
            self.recorder.adjust()

    def forward(self, module: Any, inputs: Any) -> None:
        """A model is about to run with gradients off."""
        if not self.looking:
            return
        tensors = [item for item in inputs if isinstance(item, torch.Tensor)]
        if self._module is None or (module is not self._module and self._is_quieter_than(module)):
            recorder = self.recorder
            self._inputs = []
            root = recorder.inventory.root_of(module)
            self._module, self._site = module, here(3)
            self._modes = recorder.modes.of(root)
            self._chosen = recorder.modes.chosen_since_backward(root)
            source = recorder.loaders.source_of(tensors[0]) if tensors else None
            self._source = source.id if source is not None else None
            if any(mode.training for mode in self._modes):
                trace = Trace({storage_of(tensor): recorder.inventory.known(tensor).id for tensor in root.parameters()})
                self._trace = trace if trace.open() else None
        elif self._trace is not None and self._trace.operations and len(self._inputs) >= MOST_FORWARDS:
            self._close_trace()
        if module is self._module and len(self._inputs) < 16:
            self._inputs += [key_of(tensor) for tensor in tensors[:1]]

    def _is_quieter_than(self, module: Any) -> bool:
        """Tells whether nothing of what ran so far works in train mode, but something of this model does."""
        if any(mode.training for mode in self._modes) or module in self._passed:
            return False
        self._passed.add(module)
        return any(mode.training for mode in self.recorder.modes.of(self.recorder.inventory.root_of(module)))

    def forward_done(self, module: Any, output: Any) -> None:
        """The model has returned: what is computed from here on with its output is what it is for."""
        if self.looking and module is self._module:
            for tensor in output if isinstance(output, (list, tuple)) else (output,):
                if isinstance(tensor, torch.Tensor):
                    self._output_storages.add(storage_of(tensor))

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
        recorder.watch.emit(
            Evaluation(
                step=recorder.watch.steps,
                site=self._site,
                module=recorder.inventory.module_id(recorder.inventory.root_of(self._module)),
                modes=self._modes,
                has_trained=recorder.modes.has_trained(recorder.inventory.root_of(self._module)),
                mode_chosen=self._chosen,
                repeated=len(self._inputs) > len(set(self._inputs)),
                compared=self._trace is not None and _compares(self._trace),
                from_loader=self._source,
            )
        )


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
