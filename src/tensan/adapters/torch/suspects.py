"""What a bad step was computed from: the loader's batch with its indices, or else the tensors that the loop holds by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from tensan.adapters.torch import bindings
from tensan.adapters.torch.drawn import Drawn
from tensan.adapters.torch.nested import tensors_in
from tensan.core.sites import is_users

#: Bytes of one batch that are kept, tensors of it, and indices that are written down.
MOST_BYTES = 32 << 20
MOST_TENSORS = 32
MOST_INDICES = 4_096
#: Rows that are named.
MOST_ROWS = 16


class Suspects:
    """The tensors of the current step's data, by name.

    Args:
        drawn: knows the last batch of a loader.
        owned: ids of tensors that are the model's own.
    """

    def __init__(self, drawn: Drawn, *, owned: set[int]) -> None:
        self.tensors: dict[str, Any] = {}
        self.left_out: list[str] = []
        self.indices = drawn.indices[:MOST_INDICES] if drawn.indices is not None else None
        self.size = 0
        with bindings.scopes() as where:
            named = {id(tensor): str(name) for name, tensor in bindings.tensors(where) if is_users(name.code.co_filename)}
            if drawn.batch is not None:
                parts = enumerate(tensors_in(drawn.batch, most=MOST_TENSORS))
                found = [(named.get(id(tensor), f"batch[{number}]"), tensor) for number, tensor in parts]
            else:
                found = [(named[id(tensor)], tensor) for tensor in _data(where, named, owned)]
        for name, tensor in found:
            if name in self.tensors:
                continue
            if len(self.tensors) >= MOST_TENSORS or self.size + tensor.nbytes > MOST_BYTES:
                self.left_out.append(name)
            else:
                self.tensors[name] = tensor.detach().to("cpu", copy=True)
                self.size += tensor.nbytes

    def about(self) -> dict[str, Any]:
        """Returns what the manifest says of them."""
        return {
            "indices": self.indices,
            "left_out": self.left_out,
            "tensors": {name: _described(tensor) for name, tensor in self.tensors.items()},
        }

    def write(self, folder: Path) -> None:
        """Writes the tensors as one file that `torch.load(weights_only=True)` reads."""
        torch.save(self.tensors, folder / "batch.pt")


def _data(where: Any, named: dict[int, str], owned: set[int]) -> Iterator[Any]:
    for _, tensor in bindings.tensors(where):
        if id(tensor) in named and id(tensor) not in owned and type(tensor) is torch.Tensor and not tensor.requires_grad and tensor.dim():
            yield tensor


def _described(tensor: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"shape": list(tensor.shape), "dtype": str(tensor.dtype).removeprefix("torch.")}
    if tensor.is_floating_point() and tensor.numel():
        broken = ~torch.isfinite(tensor)
        said["nonfinite"] = int(broken.sum())
        if tensor.dim():
            said["rows"] = broken.reshape(len(tensor), -1).any(1).nonzero().reshape(-1)[:MOST_ROWS].tolist()
    return said
