"""Tells whether a loader that does not shuffle begins each time with the same batch: a dataset may draw its items at random itself."""

from __future__ import annotations

from typing import Any

import torch

#: Tensors of a batch, and values of each, that are compared.
_MOST_TENSORS = 4
_MOST_VALUES = 64


class FirstBatches:
    """Compares the first batch of a pass with that of the pass before."""

    def __init__(self) -> None:
        self.differ = False
        #: Passes whose first batch had other inputs, and the same labels.
        self.varied = 0
        self._before: list[tuple[float, ...]] = []

    def seen(self, tensors: list[Any]) -> None:
        """The first batch of a pass was delivered."""
        plain = [tensor for tensor in tensors[:_MOST_TENSORS] if _is_plain(tensor)]
        now = [_values(tensor) for tensor in plain]
        compared = list(zip(plain, now, self._before, strict=False))
        others = [tensor for tensor, new, old in compared if new != old]
        kept = [tensor for tensor, new, old in compared if new == old and len(set(new)) > 1]
        # Inputs that are augmented differ too, but their labels do not.
        self.differ = bool(others) and not kept
        self.varied += any(tensor.is_floating_point() and tensor.dim() > 1 for tensor in others) and any(
            not tensor.is_floating_point() for tensor in kept
        )
        self._before = now


def _is_plain(tensor: Any) -> bool:
    return type(tensor) is torch.Tensor and tensor.layout is torch.strided and tensor.device.type == "cpu" and not tensor.is_complex()


def _values(tensor: Any) -> tuple[float, ...]:
    flat = tensor.detach().reshape(-1)
    if len(flat) > _MOST_VALUES:
        flat = flat[torch.linspace(0, len(flat) - 1, _MOST_VALUES).long()]
    return tuple(flat.double().nan_to_num().tolist())
