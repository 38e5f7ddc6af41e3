"""What a recorded loss was given to learn from: each target of a loss operation, as a tensor of the program's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

from tensan.adapters.torch.names import neutral
from tensan.adapters.torch.trace import Trace
from tensan.core.sites import Place

#: A position that a cross-entropy is told to pass over, where nothing else is said.
IGNORED = -100


class Target(NamedTuple):
    """A target, the prediction that it was compared with, and where."""

    name: str
    prediction: Any
    target: Any
    ignored: int
    site: Place


def targets(trace: Trace) -> Iterator[Target]:
    """Yields the targets of a trace that is not yet forgotten."""
    for kept in trace.losses:
        name = neutral(kept.function._schema.name)
        if len(kept.arguments) < 2:
            continue
        prediction, target = kept.arguments[:2]
        if isinstance(prediction, torch.Tensor) and isinstance(target, torch.Tensor) and not target.requires_grad:
            ignored = kept.arguments[4] if name == "nll_loss" and len(kept.arguments) > 4 else IGNORED
            yield Target(name, prediction, target, int(ignored), trace.operations[kept.index].site)


def subtracted(trace: Trace) -> Iterator[Target]:
    """Yields what losses written by hand compare with: after the forward, one side of a difference that no gradient flows into."""
    for kept in trace.kept:
        operation = trace.operations[kept.index]
        if operation.name != "sub" or len(kept.arguments) < 2 or not all(isinstance(side, torch.Tensor) for side in kept.arguments[:2]):
            continue
        flows = [value.requires_grad for value in operation.inputs[:2]]
        if flows in ([True, False], [False, True]):
            prediction, target = kept.arguments[:2] if flows[0] else kept.arguments[1::-1]
            yield Target("sub", prediction, target, IGNORED, operation.site)


def is_plain(tensor: Any) -> bool:
    """Tells whether a tensor's values can be read here and now, without a copy from a device."""
    return type(tensor) is torch.Tensor and tensor.device.type == "cpu" and tensor.layout is torch.strided and not tensor.is_quantized
