"""Looks whether a model that is in eval mode, all of it, still drops values: dropout that does not follow the mode."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensan.adapters.torch.trace import Trace, key_of
from tensan.core.events.evaluation import EvaluationDraws
from tensan.core.events.things import Operation
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Forwards of one model that are looked at.
MOST_LOOKS = 2
#: Inputs that are remembered, to see the same one go through again.
MOST_INPUTS = 8

#: Drop values in one operation: in inference mode torch does not take them apart.
_WHOLE = frozenset({"dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout", "native_dropout"})


class Draws:
    """One forward at a time, from where it begins to where it ends.

    Attributes:
        is_open: whether a forward is looked at now.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.is_open = False
        self._trace: Trace | None = None
        self._root: Any = None
        self._site: Place = None
        self._looks: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._drawing: weakref.WeakSet[Any] = weakref.WeakSet()
        self._inputs: deque[tuple[int, Any, Any]] = deque(maxlen=MOST_INPUTS)
        self._is_repeated = False

    def begin(self, module: Any, tensors: list[Any], *, is_stacked: Callable[[Any], bool]) -> None:
        """A model is about to run with gradients off; `is_stacked` tells of a batch whether it holds each sample several times."""
        recorder = self.recorder
        if self.is_open or not recorder.watch.wants(EvaluationDraws):
            return
        root = recorder.inventory.root_of(module)
        repeated = bool(tensors) and self._comes_again(tensors[0])
        if repeated and root in self._drawing:
            self._is_repeated = True
            self._tell(root, here(3), ())
            return
        looks = self._looks.get(root, 0)
        if looks >= MOST_LOOKS or root.training or not recorder.modes.has_trained(root) or any(part.training for part in root.modules()):
            return
        self._looks[root] = looks + 1
        self._is_repeated = repeated or (bool(tensors) and is_stacked(tensors[0]))
        trace = Trace({}, owner=recorder)
        if trace.open():
            self._trace, self._root, self._site, self.is_open = trace, root, here(3), True

    def abandon(self) -> None:
        """Looks no further."""
        trace, self._trace, self.is_open = self._trace, None, False
        if trace is not None:
            trace.close()

    def end(self) -> None:
        """The forward has ended."""
        trace, root = self._trace, self._root
        self._trace, self._root, self.is_open = None, None, False
        if trace is None:
            return
        trace.close()
        self.recorder.watch.budget.charge(trace.spent)
        if trace.failed is None:
            found = tuple(_draws(trace.operations))
            if found:
                self._drawing.add(root)
            self._tell(root, self._site, found)

    def _comes_again(self, tensor: Any) -> bool:
        """Tells whether an input has just gone through twice or more, with no step since: Monte Carlo dropout does that."""
        step, key = self.recorder.watch.steps, key_of(tensor)
        before = sum(then == step and was == key and memory() is not None for then, was, memory in self._inputs)
        # Of a view that is gone at once it is the tensor behind it that stays.
        self._inputs.append((step, key, weakref.ref(tensor if tensor.is_inference() or tensor._base is None else tensor._base)))
        return before > 1

    def _tell(self, root: Any, site: Place, found: tuple[Operation, ...]) -> None:
        self.recorder.watch.emit(
            EvaluationDraws(
                step=self.recorder.watch.steps,
                site=site,
                module=self.recorder.inventory.module_id(root),
                kind=type(root).__name__,
                draws=found,
                repeated=self._is_repeated,
            )
        )


def _draws(operations: list[Operation]) -> list[Operation]:
    """Returns the operations that drop values: a mask is drawn, divided by the share that is kept, and multiplied with."""
    found = []
    for operation in operations:
        arguments = operation.settings.get("arguments", ())
        assert isinstance(arguments, tuple), arguments
        if str(operation.settings.get("aten")).removeprefix("aten::").rstrip("_") in _WHOLE:
            found += [operation] if arguments[-1:] != (False,) and arguments[:1] != (0.0,) else []
        elif operation.name == "attention":
            found += [operation] if any(isinstance(item, float) and 0 < item < 1 for item in arguments) else []
        elif operation.name == "mul":
            scaled = (operations[value.producer] for value in operation.inputs if value.producer >= 0)
            found += [operation for maker in scaled if maker.name == "div" and _is_mask(operations, maker)][:1]
    return found


def _is_mask(operations: list[Operation], division: Operation) -> bool:
    producer = division.inputs[0].producer
    return bool(division.settings.get("writes")) and producer >= 0 and operations[producer].settings.get("aten") == "aten::bernoulli_"
