"""Hears the forwards of models, while something is looked at, and tells the parts whose business they are."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any

import torch
from torch._C import _functorch as transforms  # pyright: ignore[reportAttributeAccessIssue]
from torch.nn.modules.batchnorm import _BatchNorm

from tensan.adapters.torch import running
from tensan.adapters.torch.carried_states import LAYERS
from tensan.adapters.torch.deep_steps import tensors_among
from tensan.adapters.torch.heard import heard
from tensan.adapters.torch.padding_rows import has_padding
from tensan.core.events.layers import BatchStatistics, OutputUnread, StateFedBack
from tensan.core.events.state import StateLeavesOut
from tensan.core.sites import here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Batches of each batch norm that are told of.
MOST_BATCHES = 16

#: Forwards without any step after which the module hooks are taken out.
MOST_IDLE = 64


class Forwards:
    """The forwards of a run.

    Attributes:
        depth: how many modules the program is in.
        hooks: that stand on all modules, where something is looked at.
        since_step: forwards of outermost modules since the last step.
        is_between: whether no model has run with gradients since the last backward.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.depth = 0
        self.hooks: list[Any] = []
        self.since_step = 0
        self.is_between = True
        self._root: Any = None
        self._plain: set[int] = set()
        self._normalised: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def add_hooks(self) -> None:
        """Hears of forwards; only while something is looked at, since they cost a microsecond for each module."""
        recorder = self.recorder
        if self.hooks or recorder.compiled or recorder.failed:
            return
        self.since_step = 0
        from torch.nn.modules import module

        self.depth, self._root = 0, None
        self.hooks = [
            module.register_module_forward_pre_hook(self._before),
            module.register_module_forward_hook(self._after, always_call=True),
        ]

    def remove_hooks(self) -> None:
        """Stops hearing of forwards."""
        for hook in self.hooks:
            hook.remove()
        self.hooks = []
        self.depth, self._root = 0, None

    def adjust(self) -> None:
        """Brings the module hooks in line with what is looked at."""
        recorder = self.recorder
        if recorder.attending or recorder.evaluations.looking or recorder.metrics.lingers or recorder.held_sums.is_open:
            self.add_hooks()
        elif self.depth == 0:
            self.remove_hooks()

    def _before(self, module: Any, inputs: Any) -> None:
        self.recorder.shielded(self._entered, module, inputs)

    def _after(self, module: Any, inputs: Any, output: Any) -> None:
        self.recorder.shielded(self._left, module, output)

    def _entered(self, module: Any, inputs: Any) -> None:
        recorder = self.recorder
        waiting = recorder.module_hooks.waiting
        if threading.get_ident() != recorder.thread:
            waiting.clear()  # copies of modules may run there, with their hooks
            return
        if waiting and id(module) in waiting:
            recorder.hear(recorder.apart, recorder.module_hooks.called, module)
        self.depth += 1
        if torch._C._get_tracing_state() is not None:
            return  # even reading a shape would leave a node in the traced graph
        if self.depth == 1:
            self._root = module
            self._outermost(module, inputs)
        elif self._root is not None and (id(module) not in self._plain or recorder.inventory.dirty):
            self._inner(module, inputs)
        if isinstance(module, LAYERS):
            recorder.hear(recorder.apart, recorder.carried_states.entered, module, inputs)
            if recorder.deep.trace is not None and recorder.watch.wants(StateFedBack):
                recorder.hear(recorder.apart, recorder.cut_states.entered, recorder.deep.trace, module, inputs)
        if recorder.deep.trace is not None:
            recorder.deep.trace.layers.append(recorder.probing.layer(module))
            if recorder.watch.wants(OutputUnread):
                recorder.apart(recorder.layer_calls.entered, recorder.deep.trace, module)

    def _left(self, module: Any, output: Any) -> None:
        recorder = self.recorder
        if threading.get_ident() != recorder.thread:
            return
        self.depth = max(self.depth - 1, 0)
        if isinstance(module, LAYERS) and torch._C._get_tracing_state() is None:
            recorder.hear(recorder.apart, recorder.carried_states.left, module, output)
            if recorder.deep.trace is not None:
                recorder.hear(recorder.apart, recorder.cut_states.left, recorder.deep.trace, module)
        if recorder.deep.trace is not None and recorder.deep.trace.layers:
            recorder.deep.trace.layers.pop()
            if recorder.watch.wants(OutputUnread):
                recorder.hear(recorder.apart, recorder.layer_calls.left, recorder.deep.trace, output)
            if has_padding(module):
                recorder.hear(recorder.apart, recorder.padding_rows.left, module, output)  # what it reads is no read of the program
        if self.depth == 0 and torch._C._get_tracing_state() is None:
            if recorder.skipped_batches.waiting:
                recorder.hear(recorder.apart, recorder.skipped_batches.left, module, output)
            if recorder.stored_outputs.waiting is not None:
                recorder.hear(recorder.apart, recorder.stored_outputs.left, module, output)
            self._root = None
            if recorder.evaluations.draws.is_open:
                recorder.hear(recorder.evaluations.draws.end)
            if recorder.evaluations.looking:
                recorder.hear(recorder.apart, recorder.metrics.returned, module, output)
                if recorder.held_sums.is_due():
                    recorder.hear(recorder.apart, recorder.held_sums.returned)
            if recorder.deep.trace is not None:
                if recorder.deep.trace.tape is not None and next(module.parameters(), None) is not None:
                    recorder.hear(recorder.probing.returned, recorder.deep.trace, output)
                recorder.deep.trace.keep = True
            self.since_step += 1
            if self.since_step > MOST_IDLE and not recorder.evaluations.looking:
                self.remove_hooks()  # a program that only predicts; a step or a rare event brings them back

    @heard
    def _outermost(self, module: Any, inputs: Any) -> None:
        recorder = self.recorder
        if recorder.backwards.is_running or torch.compiler.is_compiling() or transforms.peek_interpreter_stack() is not None:
            return  # under a transform the parameters are stand-ins
        if recorder.held_sums.is_open:
            recorder.apart(recorder.held_sums.close)
        recorder.metrics.pause()
        recorder.states.loads.used()
        recorder.inventory.modules.add(module)
        if module not in recorder.inventory.entered:
            recorder.inventory.entered.add(module)
            recorder.inventory.dirty = True
        if not torch.is_grad_enabled():
            if recorder.host_seeding.pending:
                recorder.apart(recorder.host_seeding.evaluated)
            recorder.evaluations.forward(module, inputs)
            recorder.inputs.given(module, inputs, training=False)
            recorder.apart(recorder.row_memory.evaluated, module, inputs)
            recorder.apart(recorder.selected_rows.evaluated, module, inputs)
            recorder.apart(recorder.coded_columns.evaluated, module, inputs)
            recorder.apart(recorder.own_statistics.evaluated, module, inputs)
            recorder.apart(recorder.stored_outputs.entered, module, inputs)
            recorder.apart(recorder.bootstraps.entered, inputs)
            recorder.apart(recorder.left_statistics.evaluated, module)
            return
        if recorder.watch.wants(StateLeavesOut):
            recorder.apart(recorder.left_out.entered, module)
        recorder.evaluations.learned_from(inputs)
        recorder.pairing.entered(inputs)
        recorder.inputs.given(module, inputs, training=True)
        recorder.apart(recorder.laid_out.given, inputs)
        recorder.apart(recorder.row_lengths.given, module, inputs)
        recorder.apart(recorder.skipped_batches.entered, module, inputs)
        recorder.apart(recorder.row_memory.learned_from, module, inputs)
        recorder.apart(recorder.trained_on.learned_from, module)
        if recorder.held_arithmetic.looks_left:
            recorder.apart(recorder.held_arithmetic.look)
        if recorder.merged_casts.looks_left:
            recorder.apart(recorder.merged_casts.look)
        self._batch_statistics(module, inputs)
        begins, self.is_between = self.is_between, False
        if recorder.deep.trace is None and recorder.deep.is_due(module, begins=begins):
            recorder.deep.open(module, inputs)
        elif recorder.deep.trace is not None and next(module.parameters(), None) is not None:
            recorder.deep.trace.entered.append(tensors_among(inputs))
            recorder.probing.given(inputs)
            recorder.deep.trace.keep = False  # another model's forward; a loss module without parameters belongs to the loss

    @heard
    def _inner(self, module: Any, inputs: Any) -> None:
        recorder = self.recorder
        if recorder.backwards.is_running or self._root is None:
            return
        if recorder.inventory.dirty:
            self._plain.clear()
        if not isinstance(module, _BatchNorm):
            self._plain.add(id(module))  # looked at once; batch norms are looked at each time
        if module not in recorder.inventory.foreign and id(module) not in recorder.inventory.members(self._root):
            outermost = recorder.inventory.root_of(module)
            # A module that was ever called on its own is a model of its own, not a hidden part of this one.
            if outermost is module and module not in recorder.inventory.entered and not self._holds_optimized(module):
                recorder.inventory.found_hidden(module, self._root)
        self._batch_statistics(module, inputs)

    def _holds_optimized(self, module: Any) -> bool:
        return any(self.recorder.inventory.known(tensor).owners for tensor in module.parameters())

    def _batch_statistics(self, module: Any, inputs: Any) -> None:
        recorder = self.recorder
        if not module.training or not isinstance(module, _BatchNorm) or not recorder.watch.wants(BatchStatistics):
            return
        tensor = inputs[0] if inputs else None
        told = self._normalised.get(module, 0)
        if told < MOST_BATCHES and isinstance(tensor, torch.Tensor) and tensor.dim() >= 2 and torch.is_grad_enabled():
            self._normalised[module] = told + 1
            first = next(module.parameters(recurse=False), None)
            recorder.watch.emit(
                BatchStatistics(
                    step=recorder.watch.steps,
                    site=here(3),
                    module=recorder.inventory.module_id(module),
                    kind=type(module).__name__,
                    name=recorder.inventory.path_of(module),
                    made=recorder.inventory.known(first).made if first is not None else None,
                    batch_size=tensor.shape[0],
                    num_values=tensor.numel() // max(tensor.shape[1], 1),
                    momentum=running.momentum_of(module),
                    untouched=running.is_untouched(module),
                )
            )
