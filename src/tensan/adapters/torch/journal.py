"""Writes down what a program's training loop does in its first steps, so that they can be done again after its end.

Only under `--prove`. What is kept are copies: the state before the first step, the data of each pass, and in which order the program
differentiated, cleared, clipped and stepped. Nothing of the program's is kept alive or changed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tensan.adapters.torch.template import Template
from tensan.adapters.torch.trace import StorageReference, key_of
from tensan.core.events.things import Operation
from tensan.core.sites import Place

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder
    from tensan.adapters.torch.trace import Trace

#: Steps that are written down.
MOST_STEPS = 32
#: Passes, where a step takes several.
MOST_PASSES = 64
#: Bytes of copies.
MOST_BYTES = 256 << 20

Key = tuple[Any, ...]


class Backward(NamedTuple):
    """A pass was differentiated."""

    number: int


class Clear(NamedTuple):
    """Gradients were cleared; of all parameters where none are named."""

    parameters: tuple[Key, ...] = ()


class Clip(NamedTuple):
    """Gradients were clipped, by value where there is no norm."""

    parameters: tuple[Key, ...]
    limit: float
    norm: float | None


class Step(NamedTuple):
    """An optimizer stepped, with these options of each of its groups."""

    optimizer: str
    options: tuple[dict[str, Any], ...]


Event = Backward | Clear | Clip | Step


class Pass(NamedTuple):
    """A forward and its loss, as they were recorded.

    Attributes:
        generators: their states before it; loss: what came out.
        scale: what a gradient scaler has multiplied the loss with, and will divide the gradients by.
    """

    template: Template
    operations: tuple[Operation, ...]
    generators: list[Any]
    loss: Any
    site: Place
    scale: float = 1.0


class Held(NamedTuple):
    """An optimizer as it was before the first step that is written down."""

    kind: Any
    defaults: dict[str, Any]
    groups: tuple[tuple[Key, ...], ...]
    state: dict[Key, dict[str, Any]]


class Journal:
    """What is written down.

    Attributes:
        why_not: why it is of no use; empty while it is.
        values: parameters and buffers as they were before the first pass, by `key_of`.
        ids: what events call parameters, by `key_of`.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.why_not = ""
        self.is_open = True
        self.events: list[Event] = []
        self.passes: list[Pass] = []
        self.optimizers: dict[str, Held] = {}
        self.values: dict[Key, Any] = {}
        self.ids: dict[Key, str] = {}
        #: So that nothing else comes to lie where a parameter was, and is taken for it.
        self._places: list[StorageReference] = []
        #: What has a gradient, as far as is written down.
        self._given: set[Key] = set()
        self._generators: list[Any] = []
        self._bytes = 0
        self._scale = 1.0
        self._steps = 0

    def refuse(self, why: str) -> None:
        """Gives it up, and lets go of all copies."""
        if self.is_open:
            self.why_not, self.is_open = why, False
            self.events, self.passes, self.optimizers, self.values = [], [], {}, {}

    def template(self, entry: Place, inputs: tuple[Any, ...]) -> Template:
        """Returns a template that keeps its data."""
        return Template(entry=entry, inputs=inputs, keeps=MOST_BYTES - self._bytes)

    def scales(self, scaler: Any) -> None:
        """A loss has been multiplied by a scaler's factor; a factor that is no power of two would change what gradients are rounded to."""
        if self.is_open:
            self._scale = float(scaler.get_scale())
            if math.frexp(self._scale)[0] != 0.5:
                self.refuse("gradients are scaled by a factor that is no power of two")

    def begins(self, module: Any) -> None:
        """A pass of a model is about to be recorded."""
        self._generators = generators()
        if self.passes or self.values:
            return
        tensors = [tensor for record in self.recorder.optimizers.living() for tensor in record.parameters()]
        tensors += [tensor for tensor, _ in self.recorder.inventory.unregistered()]
        for root in {*self.recorder.inventory.entered, module}:
            tensors += [*root.parameters(), *root.buffers()]
        for tensor in tensors:
            self._keep(tensor)

    def _keep(self, tensor: Any) -> None:
        key = key_of(tensor)
        if self.is_open and key not in self.values:
            self._bytes += tensor.numel() * tensor.element_size()
            if key[0] < 0 or type(tensor) not in (torch.Tensor, torch.nn.Parameter):
                self.refuse(f"a parameter or buffer is a {type(tensor).__name__}")
            elif self._bytes > MOST_BYTES:
                self.refuse("the model is too large to be kept twice")
            else:
                self._places.append(StorageReference(tensor))
                self.values[key] = tensor.detach().clone().requires_grad_(tensor.requires_grad)

    def differentiates(self, roots: list[Any], leaves: list[Any], trace: Trace | None, template: Template | None, site: Place) -> None:
        """A backward is about to run."""
        if not self.is_open or not any(tensor.requires_grad for tensor in roots):
            return
        loss = roots[0]
        scale = self._scale if self.recorder.backwards.is_scaled else 1.0
        if trace is None or template is None or len(roots) != 1 or loss.numel() != 1:
            return self.refuse("a backward came from no recorded pass")
        if template.why_not or template.loss is None:
            return self.refuse(template.why_not or "a loss was not recorded")
        self._bytes += template.bytes
        if self._bytes > MOST_BYTES:
            return self.refuse("the batches are too large to be kept")
        for external in template.externals:
            if external.requires_grad and not external.is_leaf:
                return self.refuse("gradient flows into an earlier pass")
            if external.key not in self.values:
                if external.kept is None:
                    return self.refuse("a parameter came later")
                if external.requires_grad:  # a parameter that no module and no optimizer knows
                    self.values[external.key] = external.kept.clone().requires_grad_()
        self._cleared_by_hand(leaves)
        for tensor in leaves:
            self.ids[key_of(tensor)] = self.recorder.inventory.known(tensor).id
            self._given.add(key_of(tensor))
        self.events.append(Backward(len(self.passes)))
        self.passes.append(Pass(template, tuple(trace.operations), self._generators, loss.detach().clone(), site, scale))

    def cleared(self, tensors: list[Any]) -> None:
        """Gradients are about to be cleared."""
        if self.is_open and tensors:
            keys = tuple(map(key_of, tensors))
            self.events.append(Clear(keys))
            self._given.difference_update(keys)

    def _cleared_by_hand(self, tensors: list[Any]) -> None:
        self.cleared([tensor for tensor in tensors if tensor.grad is None and key_of(tensor) in self._given])

    def clipped(self, tensors: list[Any], limit: float, norm: float | None) -> None:
        """Gradients are about to be clipped."""
        if self.is_open:
            self.events.append(Clip(tuple(map(key_of, tensors)), limit, norm))

    def steps(self, record: OptimizerRecord) -> None:
        """An optimizer is about to step; where it was given a closure, that has computed the gradients."""
        optimizer = record.reference()
        if not self.is_open or optimizer is None:
            return
        kind = type(optimizer)
        if not kind.__module__.startswith("torch.optim.") or not getattr(kind.step, "hooked", False):
            return self.refuse(f"{kind.__name__} is no optimizer of torch's own")
        groups = tuple(tuple(map(key_of, group["params"])) for group in optimizer.param_groups)
        if record.id not in self.optimizers:
            for tensor in record.parameters():
                self._keep(tensor)  # never used in a pass, so as it was before the first
            if not self.is_open:
                return
            self.optimizers[record.id] = Held(
                kind,
                dict(optimizer.defaults),
                groups,
                {key_of(tensor): _copied(state) for tensor, state in optimizer.state.items()},
            )
        if groups != self.optimizers[record.id].groups:
            return self.refuse("an optimizer gets other parameters on the way")
        self._cleared_by_hand(list(record.parameters()))
        options = (_copied({name: value for name, value in group.items() if name != "params"}) for group in optimizer.param_groups)
        self.events.append(Step(record.id, tuple(options)))
        self._steps += 1
        if self._steps >= MOST_STEPS or len(self.passes) >= MOST_PASSES:
            self.is_open = False


def generators() -> list[Any]:
    """Returns the states of torch's generators: that of the CPU, then those of GPUs in use."""
    return [torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else ())]


def set_generators(states: list[Any]) -> None:
    """Puts states of generators back."""
    torch.set_rng_state(states[0])
    if len(states) > 1:
        torch.cuda.set_rng_state_all(states[1:])


def _copied(items: dict[str, Any]) -> dict[str, Any]:
    return {name: value.detach().clone() if isinstance(value, torch.Tensor) else value for name, value in items.items()}
