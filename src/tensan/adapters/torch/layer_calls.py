"""Finds layers that run in vain in a recorded step: the program gives their result a name, and nothing ever reads it."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.trace import storage_of
from tensan.adapters.torch.unread_names import Span, span_at, unread_names
from tensan.core.events.layers import OutputUnread
from tensan.core.events.recorded import Layer
from tensan.core.events.things import Operation
from tensan.core.operations import ancestors
from tensan.core.sites import Site, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder
    from tensan.adapters.torch.trace import Trace

#: Calls of one recorded step that are remembered, and tensors that one may give.
MOST_CALLS = 1_000
MOST_TENSORS = 16
#: Keep statistics of what they are given: that is no purpose of a layer whose result has a name.
_KEEP_STATISTICS = ("BatchNorm", "LazyBatchNorm", "SyncBatchNorm", "InstanceNorm")


class Call:
    """One call of a layer: the operations from `begin` to `end`, and where its results lie."""

    __slots__ = ("begin", "end", "is_inner", "module", "outputs", "site")

    def __init__(self, module: Any, *, site: Site | None, begin: int, is_inner: bool) -> None:
        self.module, self.site, self.begin, self.is_inner = weakref.ref(module), site, begin, is_inner
        self.end = -1
        self.outputs: frozenset[int] = frozenset()


class LayerCalls:
    """The calls of layers while a step is recorded, and what was read in the source about them."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._running: list[Call] = []
        self._unread: dict[Site, tuple[str, ...]] = {}

    def entered(self, trace: Trace, module: Any) -> None:
        """A layer is about to run."""
        if not trace.calls:
            self._running.clear()
        site = here(3)
        # What a layer of torch's own calls is called at the same place.
        is_inner = bool(self._running) and self._running[-1].site == site
        call = Call(module, site=site, begin=len(trace.operations), is_inner=is_inner or not torch.is_grad_enabled())
        self._running.append(call)
        if len(trace.calls) < MOST_CALLS:
            trace.calls.append(call)

    def left(self, trace: Trace, output: Any) -> None:
        """The innermost layer has returned this."""
        if not self._running:
            return
        call = self._running.pop()
        given = list(tensors_in(output, most=MOST_TENSORS))
        if len(given) < MOST_TENSORS and any(tensor.requires_grad for tensor in given):
            call.end = len(trace.operations)
            call.outputs = frozenset(map(storage_of, given))

    def learned_from(self, trace: Trace, loss: int, leaves: Sequence[Any]) -> None:
        """The loss of a recorded step is about to be differentiated.

        Args:
            trace: the step.
            loss: the operation that made the loss.
            leaves: the tensors that it gives gradients to.
        """
        if loss < 0:
            return
        operations = trace.operations
        needed = frozenset(ancestors(operations, [loss]))
        reached = frozenset(map(id, leaves))
        for call in trace.calls:
            ran = range(call.begin, call.end)
            if call.is_inner or not ran or not isinstance(call.site, Site) or not needed.isdisjoint(ran):
                continue
            if all(map(trace.is_freed, call.outputs)) and not _has_effects(operations, call):
                self._judge(trace, call, reached)

    def _judge(self, trace: Trace, call: Call, reached: frozenset[int]) -> None:
        module, site, inventory = call.module(), call.site, self.recorder.inventory
        assert site is not None
        if module is None or any(part._forward_hooks or part._forward_pre_hooks for part in module.modules()):
            return
        parameters = [tensor for tensor in module.parameters() if tensor.requires_grad]
        owned = all(inventory.known(tensor).owners for tensor in parameters)
        if not parameters or not owned or not reached.isdisjoint(map(id, parameters)):
            return
        if site not in self._unread:
            self._unread[site] = unread_names(site, pure=_spans(trace.calls, site))
        names = self._unread[site]
        if names:
            self.recorder.watch.emit(
                OutputUnread(
                    step=self.recorder.watch.steps,
                    site=site,
                    layer=inventory.path_of(module),
                    kind=type(module).__name__,
                    names=names,
                    parameters=tuple(map(inventory.describe, parameters)),
                    num_operations=call.end - call.begin,
                )
            )


def _spans(calls: Sequence[Call], site: Site) -> frozenset[Span]:
    """Returns where other layers are called in the function of a place: they have nothing to do but to work something out, too."""
    same = (call.site for call in calls if isinstance(call.site, Site) and call.site.code is site.code and call.site != site)
    return frozenset(span for each in same if (span := span_at(each)) is not None)


def _has_effects(operations: Sequence[Operation], call: Call) -> bool:
    """Tells whether what a call worked out was read by the program, or written to memory that was there before it."""
    own = set(range(call.begin, call.end))
    for operation in operations[call.begin :]:
        if operation.index not in own and not any(value.producer in own for value in operation.inputs):
            continue
        own.add(operation.index)
        if operation.name == "item":
            return True
        layer = operation.settings.get("layer")
        keeps_statistics = isinstance(layer, Layer) and layer.kind.startswith(_KEEP_STATISTICS)
        filled = operation.inputs[0].producer if operation.inputs else call.begin
        if operation.settings.get("writes") and filled not in own and not keeps_statistics:
            return True
    return False
