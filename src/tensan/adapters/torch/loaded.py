"""Looks at what a load was to bring: whether names would match but for a prefix, and whether the values are still there later."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from tensan.core.events import StateOverwritten
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Weights of a module that are remembered, and values of each.
MOST_WEIGHTS = 32
MOST_VALUES = 8
#: Loads that wait for the first training step.
MOST_WAITING = 16


def version_of(tensor: Any) -> int | None:
    """Returns how often a tensor has been written to; None where that is not counted."""
    return None if tensor.is_inference() else tensor._version


def prefix_between(names: Sequence[str], own: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the prefix that keeps a state's names from matching a module's, which side bears it, and how many match without."""
    strangers = [name for name in names if isinstance(name, str) and name not in own]
    matched = len(names) - len(strangers)
    best: dict[str, Any] = {}
    for stranger in strangers[:2]:
        for mine in own:
            for side, longer, shorter in (("state", stranger, mine), ("module", mine, stranger)):
                if len(longer) > len(shorter) and longer.endswith(f".{shorter}"):
                    prefix = longer[: -len(shorter)]
                    count = sum(_fits(name, prefix, side, own, state) for name in strangers)
                    if count > best.get("would_match", matched):
                        best = {"prefix": prefix, "prefixed": side, "would_match": count}
    return best


def _fits(name: str, prefix: str, side: str, own: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
    target = own.get(name.removeprefix(prefix) if side == "state" else prefix + name)
    return target is not None and getattr(state[name], "shape", None) == target.shape


class _Load:
    """A load whose module has not been trained since, and a few of the values that it brought."""

    def __init__(self, module: Any, place: Place, step: int, values: list[tuple[weakref.ref[Any], list[float]]]) -> None:
        self.module, self.place, self.step, self.values = weakref.ref(module), place, step, values


class LoadedValues:
    """Loads that wait for the first training step after them."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._waiting: list[_Load] = []

    def remember(self, module: Any, names: set[str]) -> None:
        """Takes a few values of each weight that was loaded."""
        weights = [tensor for name, tensor in module.named_parameters() if name in names and tensor.dim() >= 2 and tensor.numel()]
        values = [(weakref.ref(tensor), _some(tensor)) for tensor in weights[:MOST_WEIGHTS] if _is_plain(tensor)]
        load = _Load(module, here(4), self.recorder.watch.steps, values)
        self._waiting = [other for other in self._waiting if other.module() not in (None, module)][-MOST_WAITING:]
        if len(values) >= 1:
            self._waiting.append(load)

    def compare(self) -> None:
        """Tells of each load none of whose weights is left as it was loaded."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        recorder = self.recorder
        for load in waiting:
            module = load.module()
            if module is None or load.step != recorder.watch.steps:
                continue
            living = [(tensor, values) for reference, values in load.values if (tensor := reference()) is not None]
            if living and all(_some(tensor) != values for tensor, values in living):
                inventory = recorder.inventory
                recorder.watch.emit(
                    StateOverwritten(
                        step=recorder.watch.steps,
                        site=load.place,
                        module=inventory.module_id(module),
                        loaded=load.place,
                        num_tensors=len(living),
                        parameters=tuple(inventory.describe(tensor) for tensor, _ in living[:8]),
                    )
                )


def _is_plain(tensor: Any) -> bool:
    return not tensor.is_meta and tensor.layout is torch.strided and not hasattr(tensor, "_local_tensor")


def _some(tensor: Any) -> list[float]:
    flat = tensor.detach().reshape(-1)
    return flat[:: max(1, flat.numel() // MOST_VALUES)][:MOST_VALUES].tolist()
