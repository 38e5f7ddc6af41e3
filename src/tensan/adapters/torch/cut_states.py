"""Tells whether gradient flows through time where a recurrent layer is called step after step within one loss."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.supervision import is_plain
from tensan.adapters.torch.trace import key_of
from tensan.core.events.layers import StateFedBack
from tensan.core.events.things import Operation, Value
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder
    from tensan.adapters.torch.trace import Trace

#: Tensors of a state, and calls of one recorded step that are remembered.
MOST_TENSORS = 4
MOST_CALLS = 500


class _Call(NamedTuple):
    """One call of a layer: where its operations begin, and how it is bound to the call before; None where it is not."""

    begin: int
    end: int
    site: Place
    given: Any
    #: Whether gradient can come back from this call to the one before; None where nothing was handed on.
    is_open: bool | None
    cut_at: Place


class CutStates:
    """The calls of each recurrent layer in the step that is recorded."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._trace: weakref.ref[Any] | None = None
        self._calls: weakref.WeakKeyDictionary[Any, list[_Call]] = weakref.WeakKeyDictionary()

    def entered(self, trace: Trace, layer: Any, inputs: Any) -> None:
        """A recurrent layer is about to run while a step is recorded."""
        if self._trace is None or self._trace() is not trace:
            self._trace = weakref.ref(trace)
            self._calls.clear()
        calls = self._calls.setdefault(layer, [])
        if not torch.is_grad_enabled() or not inputs or len(calls) >= MOST_CALLS:
            return
        begin, given = len(trace.operations), inputs[0]
        is_open, cut_at = None, None
        if calls and _is_one_moment(layer, given):
            is_open, cut_at = self._handed_on(trace, calls[-1], given, inputs[1:])
        # A call ends where the next one begins: what lies between has been made of its results, or of the data.
        calls.append(_Call(begin, begin, here(3), _key(given), is_open, cut_at))

    def left(self, trace: Trace, layer: Any) -> None:
        """A recurrent layer has run."""
        calls = self._calls.get(layer)
        if calls and self._trace is not None and self._trace() is trace:
            calls[-1] = calls[-1]._replace(end=len(trace.operations))

    def _handed_on(self, trace: Trace, last: _Call, given: Any, states: Any) -> tuple[bool | None, Place]:
        """Tells whether a call is given what the one before has made, whether gradient comes back by it, and what cuts it off."""
        operations, ran = trace.operations, range(last.begin, last.end)
        values = [trace.value_of(tensor) for tensor in _plain_tensors(states)]
        handed = [value for value in values if any(index in ran for index in _since(operations, value, last.begin))]
        if not handed or not any(value.requires_grad for index in ran for value in operations[index].outputs):
            return None, None
        # What is given the same at each step is iterated until it comes to rest: there the steps are no moments.
        through_input = _behind(operations, trace.value_of(given).producer, last.begin, with_gradient=True)
        if not through_input.isdisjoint(ran) or last.given == _key(given) or any(value.requires_grad for value in values):
            return True, None
        for index in _since(operations, handed[0], last.begin):
            operation = operations[index]
            if operation.name == "detach" or _cuts(operation):
                return False, operation.site
        return False, None

    def learned_from(self, trace: Trace, loss: int) -> None:
        """The loss of the recorded step is about to be differentiated."""
        if self._trace is None or self._trace() is not trace or loss < 0:
            return
        reached = _behind(trace.operations, loss, 0, with_gradient=True)
        for layer, calls in list(self._calls.items()):
            handed = [call for call in calls if call.is_open is not None]
            if not handed or not layer.training or not any(tensor.requires_grad for tensor in layer.parameters()):
                continue
            if not any(index in reached for call in handed for index in range(call.begin, call.end)):
                continue  # what is differentiated was not computed by these calls
            cut = [call for call in handed if not call.is_open]
            self.recorder.watch.emit(
                StateFedBack(
                    step=self.recorder.watch.steps,
                    site=handed[-1].site,
                    layer=self.recorder.inventory.module_id(layer),
                    kind=type(layer).__name__,
                    num_handed_on=len(handed),
                    num_cut=len(cut),
                    cut_at=cut[-1].cut_at if cut else None,
                )
            )
        self._calls.clear()


def _is_one_moment(layer: Any, given: Any) -> bool:
    """Tells whether a layer is given one moment of its sequence: where it is given several, gradient flows through time within the call."""
    if not is_plain(given):
        return False
    if isinstance(layer, torch.nn.RNNCellBase):
        return True
    return given.dim() >= 2 and given.shape[1 if layer.batch_first and given.dim() == 3 else 0] == 1


def _plain_tensors(given: Any) -> Sequence[Any]:
    found = [tensor for tensor in tensors_in(given, most=2 * MOST_TENSORS) if is_plain(tensor)]
    return [tensor for tensor in found if tensor.is_floating_point()][:MOST_TENSORS]


def _key(given: Any) -> Any:
    return key_of(given) if is_plain(given) else None


def _since(operations: Sequence[Operation], value: Value, begin: int) -> Sequence[int]:
    """Returns the operations that made a value, the latest first, back to where the call before began."""
    return sorted(_behind(operations, value.producer, begin, with_gradient=False), reverse=True)


def _behind(operations: Sequence[Operation], start: int, begin: int, *, with_gradient: bool) -> set[int]:
    """Returns the operations that one was computed from, itself included, none that ran before another one."""
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        index = waiting.pop()
        if index < begin or index < 0 or index in seen:
            continue
        seen.add(index)
        operation = operations[index]
        if not with_gradient or (operation.gradients and operation.name != "detach"):
            waiting += [value.producer for value in operation.inputs if value.requires_grad or not with_gradient]
    return seen


def _cuts(operation: Operation) -> bool:
    takes = any(value.requires_grad for value in operation.inputs)
    return takes and not any(value.requires_grad for value in operation.outputs)
