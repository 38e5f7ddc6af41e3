"""A copy of what a program trains, on which its recorded steps are done again: its own operations and optimizer, none of its Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch.nn.utils import clip_grad

from tensan.adapters.torch.journal import Backward, Clear, Clip, Event, Journal, Key, Pass, Step
from tensan.adapters.torch.template import Instead

#: What is done otherwise in a pass, by number of the operation.
Edits = Callable[[Pass], Mapping[int, Instead]]


def as_recorded(_pass: Pass) -> Mapping[int, Instead]:
    """Changes nothing."""
    return {}


class Twin:
    """Parameters, buffers and optimizers, from the state before the first recorded step.

    Args:
        journal: what was recorded.
        added: parameters that an optimizer holds beside its own, by its id.
    """

    def __init__(self, journal: Journal, *, added: Mapping[str, Iterable[Key]] | None = None) -> None:
        self.values = {key: value.detach().clone().requires_grad_(value.requires_grad) for key, value in journal.values.items()}
        self._optimizers = {}
        for name, held in journal.optimizers.items():
            groups = [[*keys] for keys in held.groups]
            groups[-1] += (added or {}).get(name, ())
            optimizer: Any = held.kind.__new__(held.kind)
            # The way in which pickle makes one: neither constructor nor hooks of the program hear of it.
            optimizer.__setstate__(
                {
                    "defaults": dict(held.defaults),
                    "state": defaultdict(dict, {self.values[key]: _copied(state) for key, state in held.state.items()}),
                    "param_groups": [{"params": [self.values[key] for key in keys]} for keys in groups],
                }
            )
            self._optimizers[name] = optimizer

    def does(self, event: Event, given: Pass | None, edits: Edits) -> Any:
        """Does one thing of the training loop; returns the loss of a backward.

        Args:
            event: what is done.
            given: the pass that a backward differentiates.
            edits: what is done otherwise in it.
        """
        match event:
            case Backward():
                assert given is not None
                return self._differentiate(given, edits)
            case Clear(parameters):
                for key in parameters or self.values:
                    if key in self.values:
                        self.values[key].grad = None
            case Clip(parameters, limit, norm):
                tensors = [self.values[key] for key in parameters if key in self.values]
                if norm is None:
                    clip_grad.clip_grad_value_(tensors, limit)
                else:
                    clip_grad.clip_grad_norm_(tensors, limit, norm)
            case Step(name, options):
                optimizer = self._optimizers[name]
                for group, settings in zip(optimizer.param_groups, options, strict=True):
                    group.update(settings)
                type(optimizer).step.__wrapped__(optimizer)  # without the hooks, which are the program's
        return None

    def loss_of(self, given: Pass, edits: Edits) -> float:
        """Returns the loss of a pass, which leaves nothing behind."""
        with torch.no_grad():
            held = {key: value.detach().clone() for key, value in self.values.items() if not value.requires_grad}
            return float(given.template.result(given.template.play(self._stand_ins(given, held), instead=edits(given)))) / given.scale

    def _differentiate(self, given: Pass, edits: Edits) -> Any:
        loss = given.template.result(given.template.play(self._stand_ins(given, {}), instead=edits(given)))
        leaves = [value for value in self.values.values() if value.requires_grad]
        if loss.requires_grad:
            gradients = torch.autograd.grad(loss, leaves, allow_unused=True)
            for leaf, gradient in zip(leaves, gradients, strict=True):
                if gradient is not None:
                    gradient = gradient if given.scale == 1 else gradient / given.scale
                    leaf.grad = gradient if leaf.grad is None else leaf.grad + gradient
        return loss.detach()

    def _stand_ins(self, given: Pass, held: Mapping[Key, Any]) -> list[Any]:
        stand_ins = []
        for external in given.template.externals:
            value = held.get(external.key, self.values.get(external.key))
            if value is None:
                stand_ins.append(external.kept.clone().requires_grad_(external.requires_grad))
            else:
                stand_ins.append(value if external.requires_grad or not value.requires_grad else value.detach())
        return stand_ins


def _copied(items: dict[str, Any]) -> dict[str, Any]:
    return {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in items.items()}
