"""What would make a layer fit that met another number of features than its weight has: said with sizes, and tried before it is offered."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from tensan.adapters.torch.shape_run import ShapeRun

_CONVOLUTION = re.compile(r"Conv([123])d")
#: What a layer of each kind calls the size that its weight asks of the last axis.
_LAST_AXIS = {"Linear": "in_features", "LSTM": "input_size", "GRU": "input_size", "RNN": "input_size"}


class Bridge(NamedTuple):
    """A layer that does not fit, and what could stand before it.

    Attributes:
        path: of the layer; kind: its class.
        given: features that it met; takes: features that its weight has.
        before: the class of what could stand before it, and the sizes it is made with.
    """

    path: str
    kind: str
    given: int
    takes: int
    before: tuple[type[torch.nn.Module], tuple[int, ...]]

    def __str__(self) -> str:
        return f"{self.path or 'the model'} ({self.kind}) takes {self.takes} features and was given {self.given}"

    @property
    def written(self) -> str:
        """How it is written in a program."""
        kind, sizes = self.before
        return f"{kind.__name__}({', '.join(map(str, sizes))})"

    def stands_in(self, model: torch.nn.Module) -> None:
        """Puts it before the layer in a copy of the model, in the types that the copy has."""
        layer = model.get_submodule(self.path)
        weight = next(layer.parameters())
        bridge = self.before[0](*self.before[1]).to(weight)
        layer.register_forward_pre_hook(lambda _, args: (bridge(args[0]), *args[1:]) if args else None)


def bridge_of(run: ShapeRun) -> Bridge | None:
    """Returns what the layer that a run failed in would need, None where another thing than its features is wrong."""
    if not run.open or not run.open[-1].given:
        return None
    failed = run.open[-1]
    layer = run.kept[0].get_submodule(failed.path)
    kind, shape = type(layer).__name__, failed.given[0]
    if not type(layer).__module__.startswith("torch.nn."):
        return None
    if kind in _LAST_AXIS and shape:
        return _unlike(
            failed.path, kind, shape[-1], getattr(layer, _LAST_AXIS[kind]), lambda given, takes: (torch.nn.Linear, (given, takes))
        )
    convolution = _CONVOLUTION.fullmatch(kind)
    axes = int(convolution[1]) if convolution else 0
    if convolution and len(shape) == axes + 2:
        before = getattr(torch.nn, kind)
        return _unlike(failed.path, kind, shape[1], layer.in_channels, lambda given, takes: (before, (given, takes, 1)))
    return None


def _unlike(path: str, kind: str, given: int, takes: int, before: Callable[[int, int], Any]) -> Bridge | None:
    return Bridge(path, kind, given, takes, before(given, takes)) if given != takes and given else None
