"""Finds parameters of an optimizer that the program itself moves, between two steps, a part of the way towards others that are trained."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.averaging_lines import place_of_averaging
from tensan.core.events.training import AveragesCompared
from tensan.core.sites import Site

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder
    from tensan.core.sites import Place

#: Pairs of steps between which the parameters of one optimizer are compared, and parameters that are.
MOST_LOOKS = 6
MOST_COMPARED = 32
LEAST_ELEMENTS, MOST_ELEMENTS = 8, 4_096
#: How closely a parameter must have gone towards the other: share of the way, and of its own size, which is rounded.
EXACT, ROUNDED = 1e-2, 1e-6
#: A move must stand out of what is rounded.
CLEAR = 1e-5
#: Who goes all of the way makes a copy.
MOST_OF_THE_WAY = 0.9


class TrainedAverages:
    """Keeps copies of small parameters from one step to the next."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks: dict[str, int] = {}
        self._kept: dict[str, tuple[int, list[tuple[weakref.ref[Any], Any]]]] = {}

    def stepped(self, record: OptimizerRecord) -> None:
        """An optimizer has stepped: copies some of what it left, where shapes occur more than once."""
        self._kept.pop(record.id, None)
        if self._looks.get(record.id, 0) < MOST_LOOKS:
            chosen = _chosen(record)
            if len(chosen) > 1:
                self._kept[record.id] = record.steps, [(weakref.ref(tensor), tensor.detach().clone()) for tensor in chosen]

    def steps(self, record: OptimizerRecord) -> None:
        """It is about to step again: tells what has moved since, and towards what."""
        steps, kept = self._kept.pop(record.id, (0, []))
        if steps != record.steps:
            return  # steps that were not looked at lie between
        pairs = [(tensor, copy) for reference, copy in kept if (tensor := reference()) is not None and tensor.shape == copy.shape]
        if len(pairs) < 2:
            return
        self._looks[record.id] = self._looks.get(record.id, 0) + 1
        with torch.no_grad():
            found = _moved(pairs)
        describe = self.recorder.inventory.describe
        self.recorder.watch.emit(
            AveragesCompared(
                step=self.recorder.watch.steps,
                site=place_of_averaging(self._paths(record)) if found else None,
                optimizer=record.event(),
                num_compared=len(pairs),
                averages=tuple(describe(tensor) for tensor, _, _ in found),
                averaged=tuple(describe(towards) for _, towards, _ in found),
                share=min((share for _, _, share in found), default=0.0),
            )
        )

    def _paths(self, record: OptimizerRecord) -> list[str]:
        """Returns the files of the program that are known to have run."""
        place: Place = record.made
        own = [place.code.co_filename] if isinstance(place, Site) else []
        return list(dict.fromkeys([*own, *self.recorder.watch.executed]))


def _moved(pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any, float]]:
    """Returns the parameters that have moved since they were copied, each with the one that it moved towards and the share of the way."""
    moved = {id(tensor) for tensor, copy in pairs if not torch.equal(tensor, copy)}
    if not moved:
        return []
    trained = [(tensor, copy) for tensor, copy in pairs if tensor.grad is not None and bool(tensor.grad.count_nonzero())]
    still = [tensor for tensor, _ in trained if id(tensor) not in moved]
    return [
        (tensor, towards, share)
        for tensor, copy in trained
        if id(tensor) in moved
        for towards in still
        if towards.shape == tensor.shape and (share := _share(copy, tensor, towards)) is not None
    ]


def _chosen(record: OptimizerRecord) -> list[Any]:
    """Returns small parameters of shapes that occur more than once, rare shapes first: an average has the shapes of its model."""
    by_shape: dict[tuple[int, ...], list[Any]] = {}
    for tensor in record.parameters():
        plain = tensor.requires_grad and tensor.is_floating_point() and tensor.layout is torch.strided and not tensor.is_meta
        if plain and LEAST_ELEMENTS <= tensor.numel() <= MOST_ELEMENTS:
            by_shape.setdefault(tuple(tensor.shape), []).append(tensor)
    chosen: list[Any] = []
    for alike in sorted(by_shape.values(), key=len):
        if len(alike) > 1 and len(chosen) + len(alike) <= MOST_COMPARED:
            chosen += alike
    return chosen


def _share(before: Any, after: Any, towards: Any) -> float | None:
    """Returns which part of the way to another value a parameter has gone; None where it went anywhere else."""
    before, after, towards = before.double(), after.double(), towards.double()
    way, gone = towards - before, after - before
    size = max(float(before.abs().max()), float(towards.abs().max()))
    length = float((way * way).sum())
    if not length or float(gone.abs().max()) <= CLEAR * size:
        return None
    share = float((way * gone).sum()) / length
    left = float((gone - share * way).abs().max())
    # Who shrinks a parameter moves it towards another that is still zero.
    varied = all(float((each - each.mean()).abs().max()) > EXACT * float(each.abs().max()) for each in (way, towards))
    return share if 0 < share <= MOST_OF_THE_WAY and varied and left <= EXACT * float(gone.abs().max()) + ROUNDED * size else None
