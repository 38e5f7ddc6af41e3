"""Measures how much of a gradient becomes zero where the backward goes over from single to half precision."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.graph import MOST_NODES
from tensan.core.events.training import GradientNarrowed
from tensan.core.sites import Place

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder
    from tensan.adapters.torch.trace import Trace

MOST_VALUES = 1 << 26


class Underflow:
    """Listens to the nodes of one graph at a time, on recorded steps only."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._hooks: list[Any] = []
        self._sums: list[Any] = []
        self._site: Place = None
        self._scaled = False

    def listen(self, trace: Trace, roots: Iterable[Any], site: Place, *, scaled: bool) -> None:
        """A backward is about to run."""
        self._withdraw()
        half = any(value.dtype == "float16" for operation in trace.operations for value in operation.outputs)
        if half and self.recorder.watch.wants(GradientNarrowed):
            self._site, self._scaled = site, scaled
            passes = functools.partial(self.recorder.shielded, self._add)
            self._hooks = [node.register_prehook(passes) for node in _borders(roots)]

    def tell(self) -> None:
        """The backward is over."""
        sums = self._sums
        self._withdraw()
        if sums:
            lost, size = (float(item) for item in torch.stack(sums).sum(0))
            self.recorder.syncs += sums[0].is_cuda
            if size > 0:
                steps = self.recorder.watch.steps
                event = GradientNarrowed(step=steps, site=self._site, lost=lost / size, scaled=self._scaled)
                self.recorder.watch.emit(event)

    def _withdraw(self) -> None:
        for hook in self._hooks:
            hook.remove()
        self._hooks, self._sums = [], []

    def _add(self, gradients: tuple[Any, ...]) -> None:
        gradient = gradients[0]
        if type(gradient) is torch.Tensor and gradient.dtype is torch.float32 and gradient.numel() <= MOST_VALUES:
            sizes = gradient.detach().abs()
            self._sums.append(torch.stack([(sizes * (sizes.half() == 0)).sum(), sizes.sum()]))


def _borders(roots: Iterable[Any]) -> Iterator[Any]:
    """Yields the first nodes on each way from a loss whose gradient comes in single precision and goes on in half."""
    waiting = [tensor.grad_fn for tensor in roots if tensor.grad_fn is not None]
    seen = set(waiting)
    while waiting and len(seen) <= MOST_NODES:
        node = waiting.pop()
        following = [inner for inner, _ in node.next_functions if inner is not None]
        if node.name() == "ToCopyBackward0" and [_dtype(node), *map(_dtype, following)] == [torch.float32, torch.float16]:
            yield node
            continue
        fresh = [inner for inner in following if inner not in seen]
        seen.update(fresh)
        waiting += fresh


def _dtype(node: Any) -> Any:
    given = node._input_metadata
    return given[0].dtype if len(given) == 1 else None
