"""Looks at what a load was to bring: whether names would match but for a prefix, and whether it is initialised anew before it is used."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensan.core.events.state import StateOverwritten
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Weights of a module that are remembered.
MOST_WEIGHTS = 64
#: Loads that wait for the first use of their module.
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
    """A load whose module has not been used since, with the weights that it brought."""

    def __init__(self, module: Any, place: Place, moment: int, weights: list[Any]) -> None:
        self.module, self.place, self.moment = weakref.ref(module), place, moment
        self.weights = [weakref.ref(tensor) for tensor in weights]

    def living(self) -> list[Any]:
        """Returns the weights that still exist."""
        return [tensor for reference in self.weights if (tensor := reference()) is not None]


class Loads:
    """Loads that wait for the first use of their module."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._waiting: list[_Load] = []

    def remember(self, module: Any, names: set[str]) -> None:
        """Takes note of the weights that a load has brought; earlier loads of the same are void."""
        weights = [tensor for name, tensor in module.named_parameters() if name in names and tensor.dim() >= 2]
        brought = set(map(id, weights))
        self._waiting = [load for load in self._waiting if brought.isdisjoint(map(id, load.living()))][-MOST_WAITING:]
        if weights:
            self._waiting.append(_Load(module, here(4), self.recorder.inventory.writes.moment, weights[:MOST_WEIGHTS]))

    def used(self) -> None:
        """A model is about to run: tells of each load all of whose weights were initialised anew since."""
        waiting, self._waiting = self._waiting, []
        recorder, inventory = self.recorder, self.recorder.inventory
        for load in waiting:
            module, living = load.module(), load.living()
            if module is None or not living or not all(inventory.writes.is_later(tensor, load.moment) for tensor in living):
                continue
            inventory.generation += 1
            recorder.watch.emit(
                StateOverwritten(
                    step=recorder.watch.steps,
                    site=load.place,
                    module=inventory.module_id(module),
                    loaded=load.place,
                    num_tensors=len(living),
                    parameters=tuple(inventory.describe(tensor) for tensor in living[:8]),
                )
            )
