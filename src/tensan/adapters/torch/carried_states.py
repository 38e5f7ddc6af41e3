"""Tells with which state a recurrent layer begins: where it is the one that the layer ended the batch before with, somebody carried it."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.supervision import is_plain
from tensan.core.events.layers import StateCarried
from tensan.core.sites import here

if TYPE_CHECKING:
    from tensan.adapters.torch.loaders import LoaderRecord
    from tensan.adapters.torch.recorder import Recorder

LAYERS = torch.nn.RNN, torch.nn.GRU, torch.nn.LSTM, torch.nn.RNNCell, torch.nn.GRUCell, torch.nn.LSTMCell
#: Tensors of a state, values of each that are compared, and how often a layer is told.
MOST_TENSORS = 4
MOST_VALUES = 1 << 14
MOST_TOLD = 32


class _Ended(NamedTuple):
    """The states that a layer has ended with while one batch was there."""

    deliveries: int
    loader: LoaderRecord | None
    states: frozenset[int]


class CarriedStates:
    """The last states of each layer."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._now: weakref.WeakKeyDictionary[Any, _Ended] = weakref.WeakKeyDictionary()
        self._told: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        #: Layers that have run over the batch that is there: what they are given from then on is of this batch.
        self._begun: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def entered(self, layer: Any, inputs: Any) -> None:
        """A recurrent layer is about to run."""
        told = self._told.get(layer, 0)
        if not layer.training or not torch.is_grad_enabled() or told >= MOST_TOLD or not self.recorder.watch.wants(StateCarried):
            return
        loaders = self.recorder.loaders
        if self._begun.get(layer) == loaders.deliveries:
            return
        self._begun[layer] = loaders.deliveries
        self._told[layer] = told + 1
        ended = self._now.get(layer)
        # A state of each sample: that of each parameter, as a learned optimizer has, is carried over whatever batches.
        sizes = {size for tensor in loaders.batch() for size in _sizes(tensor)}
        states = [state for state in _states(inputs[1:]) if state.dim() >= 2 and state.shape[-2] in sizes]
        given = {state for state in map(_hashed, states) if state is not None}
        last = loaders.last
        carried = ended is not None and ended.deliveries == loaders.deliveries - 1 and ended.loader is last and last is not None
        self.recorder.watch.emit(
            StateCarried(
                step=self.recorder.watch.steps,
                site=here(3),
                layer=self.recorder.inventory.module_id(layer),
                kind=type(layer).__name__,
                is_carried=carried and ended is not None and bool(given & ended.states),
                loader=last.event() if last is not None else None,
            )
        )

    def left(self, layer: Any, output: Any) -> None:
        """A recurrent layer has run."""
        if not layer.training or not torch.is_grad_enabled() or self._told.get(layer, 0) >= MOST_TOLD:
            return
        loaders = self.recorder.loaders
        # A layer ends with its states: the sequence of its outputs comes first, a cell gives nothing else.
        ends = output[1:] if isinstance(output, tuple) and not isinstance(layer, torch.nn.RNNCellBase) else output
        states = frozenset(state for state in map(_hashed, _states(ends)) if state is not None)
        self._now[layer] = _Ended(loaders.deliveries, loaders.last, states)


def _sizes(tensor: Any) -> Sequence[int]:
    """Returns what can be the number of samples of a tensor, which may have its moments first; the columns of a table are none."""
    if not is_plain(tensor):
        return ()
    return tensor.shape[:2] if tensor.dim() > 2 or not tensor.is_floating_point() else tensor.shape[:1]


def _states(given: Any) -> Sequence[Any]:
    return [state for state in tensors_in(given, most=2 * MOST_TENSORS) if is_plain(state)][:MOST_TENSORS]


def _hashed(state: Any) -> int | None:
    """Returns a hash of a state's values; None where they are all one, as zeros to begin with are."""
    if not is_plain(state) or not state.is_floating_point() or state.numel() < 2 or state.dim() == 0:
        return None
    flat = state.detach().reshape(-1)[:MOST_VALUES]
    flat = (flat if flat.dtype is torch.float64 else flat.float()).contiguous()
    if bool((flat == flat[0]).all()):
        return None
    return hash((tuple(state.shape), flat.numpy().tobytes()))
