"""Counts how often each class is among the targets of a loss that weighs its classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.array_origins import origin
from tensan.adapters.torch.supervision import IGNORED, is_plain
from tensan.adapters.torch.trace import Kept, Trace, storage_of
from tensan.adapters.torch.variables import variables
from tensan.core.events.targets import ClassesWeighted
from tensan.core.sites import Place

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Classes, targets of a step and losses that are looked at.
MOST_CLASSES = 64
MOST_TARGETS = 1 << 20
MOST_LOOKS = 24


class ClassWeights:
    """Looks at the losses of recorded steps."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded."""
        if not self.recorder.watch.wants(ClassesWeighted):
            return
        for kept in trace.losses:
            operation = trace.operations[kept.index]
            read = {"nll_loss": _several, "binary_cross_entropy_with_logits": _two}.get(operation.name)
            found = read(kept) if read is not None and self._looks < MOST_LOOKS else None
            if found is None:
                continue
            self._looks += 1
            held, weights, counts = found
            name, made = _named(held)
            self.recorder.watch.emit(
                ClassesWeighted(
                    step=self.recorder.watch.steps,
                    site=operation.site,
                    loss=operation.name,
                    weights=tuple(weights.double().tolist()),
                    counts=tuple(counts.tolist()),
                    name=name,
                    made=made,
                )
            )


def _several(kept: Kept) -> tuple[Any, Any, Any] | None:
    """Returns the weights of a loss of several classes, as the program holds them and one by one, and how often each class is asked for."""
    target, weight = _argument(kept, 1), _argument(kept, 2)
    if not _is_read(target) or not _is_read(weight) or target.is_floating_point() or not 2 <= weight.numel() <= MOST_CLASSES:
        return None
    ignored = _argument(kept, 4)
    flat = target.reshape(-1)
    flat = flat[flat != (IGNORED if ignored is None else ignored)]
    if not len(flat) or int(flat.min()) < 0 or int(flat.max()) >= weight.numel():
        return None
    return weight, weight.detach(), torch.bincount(flat, minlength=weight.numel())


def _two(kept: Kept) -> tuple[Any, Any, Any] | None:
    """Returns the same of a loss of two classes, whose positive one has a weight of its own."""
    target, weight = _argument(kept, 1), _argument(kept, 3)
    if not _is_read(target) or not _is_read(weight) or weight.numel() != 1:
        return None
    flat = target.detach().reshape(-1)
    positive = int((flat == 1).sum())
    if positive + int((flat == 0).sum()) != len(flat):
        return None
    return weight, torch.stack([torch.ones(()), weight.detach().reshape(()).float()]), torch.tensor([len(flat) - positive, positive])


def _argument(kept: Kept, place: int) -> Any:
    return kept.arguments[place] if len(kept.arguments) > place else None


def _is_read(tensor: Any) -> bool:
    return isinstance(tensor, torch.Tensor) and is_plain(tensor.detach()) and 0 < tensor.numel() <= MOST_TARGETS


def _named(weight: Any) -> tuple[str, Place]:
    """Returns what the program calls the weights and where it computes them."""
    storage = storage_of(weight)
    return origin(
        (name, frame)
        for name, value, frame in variables(4)
        if isinstance(value, torch.Tensor) and value.numel() == weight.numel() and storage_of(value) == storage
    )
