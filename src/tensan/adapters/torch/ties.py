"""Follows tied parameters: one tensor under two names, and whether it still is one when training begins."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch

from tensan.core.events.training import TieChange
from tensan.core.sites import Place, Site, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder


class _Tie:
    """Two places, as paths below one module, that held one tensor; `broken` is where one of them was replaced."""

    def __init__(self, parent: Any, first: str, second: str, tied_at: Place, broken: Place) -> None:
        self.parent, self.first, self.second, self.tied_at, self.broken = weakref.ref(parent), first, second, tied_at, broken


class Ties:
    """Ties that were made and that a replacement may have broken."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._places: dict[int, tuple[weakref.ref[Any], list[tuple[weakref.ref[Any], str]], Place]] = {}
        self._suspects: list[_Tie] = []
        self._in_use = False

    def parameter_registered(self, module: Any, name: str, tensor: Any) -> None:
        """A tensor became a parameter of a module; a second place makes a tie."""
        old = module._parameters.get(name)
        if old is not None and old is not tensor and self._is_tied(old):
            place = here(3)
            if not _is_copy(old, tensor) or self._just_tied(old, place):
                self._replaced(module, name, old, place)
        known = self._places.get(id(tensor))
        if known is None or known[0]() is not tensor:
            known = self._places[id(tensor)] = (weakref.ref(tensor), [], None)
        places = known[1]
        if any(place() is module and other == name for place, other in places):
            return
        places.append((weakref.ref(module), name))
        if len(places) > 1:
            self._places[id(tensor)] = (known[0], places, here(3))

    def module_registered(self, parent: Any, name: str, child: Any) -> None:
        """A module was given a part; where another stood in its place, its ties are in danger."""
        old = parent._modules.get(name)
        if old is None or old is child:
            return
        for path, module in old.named_modules():
            for inner, tensor in module._parameters.items():
                known = self._places.get(id(tensor)) if tensor is not None else None
                if known is None or known[0]() is not tensor or len(known[1]) < 2:
                    continue
                first = ".".join(part for part in (name, path, inner) if part)
                for place, other in known[1]:
                    other_module = place()
                    if other_module is None or (other_module is module and other == inner):
                        continue
                    second = _path_below(parent, other_module)
                    if second is not None:
                        self._suspects.append(_Tie(parent, first, f"{second}.{other}" if second else other, known[2], here(3)))

    def _is_tied(self, tensor: Any) -> bool:
        known = self._places.get(id(tensor))
        return known is not None and known[0]() is tensor and len(known[1]) > 1

    def _just_tied(self, tensor: Any, place: Place) -> bool:
        """Tells whether the function that unties has tied before, and no backward has met the tie: then it was of no use."""
        tied_at = self._places[id(tensor)][2]
        return not self._in_use and isinstance(place, Site) and isinstance(tied_at, Site) and place.code is tied_at.code

    def _replaced(self, module: Any, name: str, old: Any, broken: Place) -> None:
        known = self._places[id(old)]
        root = self.recorder.inventory.root_of(module)
        own = _path_below(root, module)
        for place, other in known[1]:
            other_module = place()
            if other_module is None or (other_module is module and other == name):
                continue
            second = _path_below(root, other_module)
            if own is not None and second is not None:
                first = f"{own}.{name}" if own else name
                self._suspects.append(_Tie(root, first, f"{second}.{other}" if second else other, known[2], broken))

    def num_living(self, reached: set[int]) -> int:
        """Returns how many of the tensors that a backward reaches bear more than one name."""
        return sum(len(places) > 1 and key in reached and tensor() is not None for key, (tensor, places, _) in self._places.items())

    def check(self, reached: set[int]) -> None:
        """Tells of each broken tie whose two tensors now both train, each on its own."""
        self._in_use = True
        if not self._suspects:
            return
        for tie in self._suspects:
            parent = tie.parent()
            first, second = (_tensor_at(parent, path) for path in (tie.first, tie.second)) if parent is not None else (None, None)
            if first is None or second is None or first is second or first.shape != second.shape:
                continue
            if id(first) in reached and id(second) in reached:
                known = self.recorder.inventory.known
                self.recorder.watch.emit(
                    TieChange(
                        step=self.recorder.watch.steps,
                        site=tie.broken,
                        names=(tie.first, tie.second),
                        shape=tuple(first.shape),
                        parameters=(known(first).id, known(second).id),
                        root=self.recorder.inventory.module_id(parent),
                        tied_at=tie.tied_at,
                    )
                )
        self._suspects = []


def _is_copy(old: Any, new: Any) -> bool:
    """Whoever puts a copy of the tied tensor in its place unties on purpose, unless it was tied for nothing just before."""
    return old.shape == new.shape and old.device == new.device and torch.equal(old.detach(), new.detach())


def _path_below(root: Any, module: Any) -> str | None:
    return next((path for path, item in root.named_modules() if item is module), None)


def _tensor_at(root: Any, path: str) -> Any:
    *modules, name = path.split(".")
    for part in modules:
        root = root._modules.get(part) if root is not None else None
    return root._parameters.get(name) if root is not None else None
