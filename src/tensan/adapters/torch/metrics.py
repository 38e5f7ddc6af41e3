"""Records what an evaluation does with a model's outputs: the few operations between its forwards, not the forwards themselves."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.trace import Trace
from tensan.core.events.evaluation import OutputsMeasured
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Evaluations of one model that are recorded, forwards of one evaluation, and its operations.
MOST_LOOKS = 2
MOST_FORWARDS = 32
MOST_OPERATIONS = 1_500
MOST_OUTPUTS = 16
#: Least and greatest values of outputs that are kept.
MOST_ENDS = 8


class Metrics:
    """One evaluation at a time: a trace that is open from the end of a forward to the next one's beginning.

    Attributes:
        lingers: whether it is still open although the region without gradients has ended: whatever is heard next closes it.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._trace: Trace | None = None
        self._module: Any = None
        self._site: Place = None
        self._forwards = 0
        self._loader = ""
        self._ends: list[Any] = []
        self.lingers = False

    @property
    def is_open(self) -> bool:
        """Whether a dispatch mode of ours is active."""
        return self._trace is not None and self._trace._open

    def returned(self, module: Any, output: Any) -> None:
        """A model has run with gradients off: what becomes of what it returned?"""
        recorder = self.recorder
        if not recorder.watch.wants(OutputsMeasured) or recorder.is_under_mode or not recorder.evaluations.looking:
            return
        if self._trace is None:
            if self._looks.get(module, 0) >= MOST_LOOKS or not recorder.modes.has_trained(recorder.inventory.root_of(module)):
                return
            self._looks[module] = self._looks.get(module, 0) + 1
            self._trace, self._module, self._site = Trace({}, owner=recorder), module, here(3)
            self._trace.neighbours = True
            self._forwards, self._ends = 0, []
        elif module is not self._module or self._forwards >= MOST_FORWARDS:
            return
        self._forwards += 1
        last = recorder.loaders.last
        self._loader = last.id if last is not None else ""
        batch, outputs = recorder.loaders.batch(), list(tensors_in(output, most=MOST_OUTPUTS))
        if len(self._ends) < MOST_ENDS:
            self._ends += [end for tensor in outputs if _is_counted(tensor) for end in tensor.detach().aminmax()]
        for subject, tensors in (("batch", batch), ("output", outputs)):
            for tensor in tensors:
                self._trace.know(tensor, subject)
        self._trace.open()

    def pause(self) -> None:
        """A model is about to run: its own operations are not recorded."""
        if self._trace is not None and self._trace._open:
            self._trace.close()
            if len(self._trace.operations) > MOST_OPERATIONS:
                self._forwards = MOST_FORWARDS

    def finish(self) -> None:
        """The evaluation is over; what follows at once, with gradients on again, is often the metric."""
        if self.is_open:
            self.lingers = True
        else:
            self.settle()

    def settle(self) -> None:
        """Something else begins."""
        trace, self._trace, self.lingers = self._trace, None, False
        if trace is None:
            return
        trace.close()
        recorder = self.recorder
        recorder.watch.budget.charge(trace.spent)
        self._forwards = 0
        if trace.failed is not None:
            recorder.watch.not_checked(f"operations of an evaluation ({trace.failed})")
        if trace.failed is None and trace.operations:
            with torch._C.DisableTorchFunction():
                recorder.syncs += sum(end.is_cuda for end in self._ends)  # read here: the program has waited for them itself
                ends = [float(end) for end in self._ends]
            recorder.watch.emit(
                OutputsMeasured(
                    step=recorder.watch.steps,
                    site=self._site,
                    module=recorder.inventory.module_id(recorder.inventory.root_of(self._module)),
                    operations=tuple(trace.operations),
                    loader=self._loader,
                    low=min(ends, default=None),
                    high=max(ends, default=None),
                )
            )
        self._module, self._ends = None, []
        recorder.forwards.adjust()

    def abandon(self) -> None:
        """Looks no further."""
        trace, self._trace, self._module, self.lingers = self._trace, None, None, False
        self._ends = []
        if trace is not None:
            trace.close()


def _is_counted(tensor: Any) -> bool:
    return tensor.is_floating_point() and tensor.numel() > 0 and not tensor.is_meta and not tensor.is_sparse
