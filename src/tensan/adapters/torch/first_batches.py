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
        pairs = list(zip(now, self._before, strict=False))
        # Inputs that are augmented differ too, but their labels do not.
        kept = any(new == old and len(set(new)) > 1 for new, old in pairs)
        inputs = any(
            new != old and tensor.is_floating_point() and tensor.dim() > 1 for tensor, (new, old) in zip(plain, pairs, strict=False)
        )
        labels = any(
            new == old and len(set(new)) > 1 and not tensor.is_floating_point() for tensor, (new, old) in zip(plain, pairs, strict=False)
        )
        self.varied += inputs and labels
        self.differ = any(new != old for new, old in pairs) and not kept
        self._before = now


def _is_plain(tensor: Any) -> bool:
    return type(tensor) is torch.Tensor and tensor.layout is torch.strided and tensor.device.type == "cpu" and not tensor.is_complex()


def _values(tensor: Any) -> tuple[float, ...]:
    flat = tensor.detach().reshape(-1)
    if len(flat) > _MOST_VALUES:
        flat = flat[torch.linspace(0, len(flat) - 1, _MOST_VALUES).long()]
    return tuple(flat.double().nan_to_num().tolist())
