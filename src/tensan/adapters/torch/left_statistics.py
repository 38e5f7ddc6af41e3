"""Finds averaged copies of a model whose weights follow it and whose batch norm statistics stayed where they were."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.modules.batchnorm import _BatchNorm

from tensan.adapters.torch.averaging_lines import place_of_averaging
from tensan.core.events.evaluation import CopyEvaluated
from tensan.core.sites import Place, Site, here

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensan.adapters.torch.recorder import Recorder

#: Evaluations of one copy that are looked at.
MOST_LOOKS = 4
#: Layers of a copy that are compared with what they were.
MOST_LAYERS = 8


class LeftStatistics:
    """The models that are evaluated and were never trained themselves."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._first: weakref.WeakKeyDictionary[Any, list[tuple[Any, Any]]] = weakref.WeakKeyDictionary()

    def seen(self, module: Any) -> None:
        """A model was put into a mode: notes the state of one that nobody trains, to know later whether it was moved."""
        if not self.recorder.watch.wants(CopyEvaluated) or module in self._first:
            return
        layers = [] if self._is_trained(module) else _layers(module)
        if layers:
            self._first[module] = [_state(layer) for layer in layers[:MOST_LAYERS]]

    def evaluated(self, module: Any) -> None:
        """A model is about to run with gradients off."""
        recorder = self.recorder
        looks = self._looks.get(module, 0)
        if not recorder.watch.wants(CopyEvaluated) or looks >= MOST_LOOKS or module.training or self._is_trained(module):
            return
        layers = [layer for layer in _layers(module) if not layer.training]
        if not layers:
            return
        self._looks[module] = looks + 1
        live = self._live(module, layers)
        if live is None:
            self.seen(module)
            return
        kind, batches, is_ahead = live
        site = here(3)
        left: list[Any] = []
        if is_ahead:
            left = [layer for layer in layers if _is_fresh(layer) and _has_learned(layer)] or self._moved_beside(module, layers)
        recorder.watch.emit(
            CopyEvaluated(
                step=recorder.watch.steps,
                site=site,
                module=recorder.inventory.module_id(module),
                kind=type(module).__name__,
                live=kind,
                averaged=place_of_averaging(self._paths(site)) if left else None,
                layers=len(layers),
                left=len(left),
                names=tuple(name for name, part in module.named_modules() if any(part is layer for layer in left[:3])),
                batches=batches,
                own_batches=_batches(layers[0]),
            )
        )
        self.seen(module)

    def _paths(self, site: Place) -> list[str]:
        """Returns the files of the program that are known to have run."""
        own = [site.code.co_filename] if isinstance(site, Site) else []
        return list(dict.fromkeys([*own, *self.recorder.watch.executed]))

    def _moved_beside(self, module: Any, layers: list[Any]) -> list[Any]:
        """Returns the layers whose weights have moved since they were first seen, while their statistics have not."""
        before = self._first.get(module)
        if before is None or len(before) != len(layers[:MOST_LAYERS]):
            return []
        return [
            layer
            for layer, (weight, mean) in zip(layers[:MOST_LAYERS], before, strict=True)
            if weight is not None and torch.equal(mean, layer.running_mean) and not torch.equal(weight, layer.weight.detach())
        ]

    def _is_trained(self, module: Any) -> bool:
        modes, inventory = self.recorder.modes, self.recorder.inventory
        root = inventory.root_of(module)
        return modes.has_trained(root) or modes.has_trained(module) or any(inventory.known(tensor).owners for tensor in module.parameters())

    def _live(self, module: Any, layers: list[Any]) -> tuple[str, int, bool] | None:
        """Returns the kind of a model of the same build that is trained, the batches its statistics are of, and whether it is ahead."""
        beside = None
        shapes = _shapes(layers)
        own = {id(tensor) for tensor in module.parameters()}
        for other in list(self.recorder.inventory.modules):
            if other is module or not self.recorder.modes.has_trained(other):
                continue
            theirs = _layers(other)
            if _shapes(theirs) != shapes or any(id(tensor) in own for tensor in other.parameters()):
                continue
            batches = _batches(theirs[0])
            if batches > _batches(layers[0]) and not torch.equal(theirs[0].running_mean, layers[0].running_mean):
                return type(other).__name__, batches, True
            beside = type(other).__name__, batches, False
        return beside


def _layers(module: Any) -> list[Any]:
    """Returns the batch norms that keep statistics, where their values can be read here."""
    return [part for part in module.modules() if isinstance(part, _BatchNorm) and _is_kept(part)]


def _is_kept(layer: Any) -> bool:
    mean = layer.running_mean if layer.track_running_stats else None
    return (
        isinstance(mean, torch.Tensor)
        and mean.device.type == "cpu"
        and layer.running_var is not None
        and layer.num_batches_tracked is not None
    )


def _shapes(layers: Iterable[Any]) -> list[int]:
    return [layer.num_features for layer in layers]


def _batches(layer: Any) -> int:
    return int(layer.num_batches_tracked)


def _state(layer: Any) -> tuple[Any, Any]:
    return layer.weight.detach().clone() if layer.weight is not None else None, layer.running_mean.clone()


def _is_fresh(layer: Any) -> bool:
    """Tells whether the statistics are those of a new layer."""
    fresh = not _batches(layer) and not bool(layer.running_mean.any())
    return fresh and bool((layer.running_var == 1).all())


def _has_learned(layer: Any) -> bool:
    """Tells whether scale and shift were moved: whoever draws the scale of a new layer, or sets it, leaves the shift at 0."""
    return layer.weight is not None and _differs(layer.weight.detach()) and _differs(layer.bias.detach())


def _differs(values: Any) -> bool:
    return bool((values != values[0]).any())
