"""Shapes: broadcasting that says what it refuses and why, the way back for gradients, assertions, strategies, the shapes in a model."""

from __future__ import annotations

from typing import Any

from tensan.contracts.audit import Audit
from tensan.contracts.shapes import (
    assert_same_shape,
    assert_shape,
    broadcast_shape,
    broadcast_to_match,
    refusal,
    unbroadcast,
)
from tensan.contracts.strategies import compatible_shapes, incompatible_shapes
from tensan.core.errors import UsageError

__all__ = [
    "Audit",
    "assert_same_shape",
    "assert_shape",
    "audit",
    "broadcast_shape",
    "broadcast_to_match",
    "compatible_shapes",
    "incompatible_shapes",
    "refusal",
    "unbroadcast",
]


def audit(model: Any, example: Any) -> Audit:
    """Returns the shapes in a model by data flow, with free axes as symbols, and what is fixed or never used.

    A copy without values is traced by torch.export, so that the model, its mode, buffers, gradients and the random state stay as they
    are. Where that cannot be done, copies run with other sizes, and the result says so. Symbols go by the place of the axis: the first
    is `B`, the second `T`, those of an image `H` and `W`.

    Args:
        model: a module of torch.
        example: what it is called with: a tensor, a tuple of positional arguments, or a dict of keyword arguments.

    Raises:
        tensan.core.errors.UsageError: when the model is none, cannot be copied, or cannot take the example.
    """
    if not any(kind.__module__ == "torch.nn.modules.module" for kind in type(model).__mro__):
        raise UsageError(f"tensan.shapes.audit: model: {type(model).__name__} is not allowed; allowed is a torch.nn.Module")
    from tensan.adapters.torch.shape_audit import examine
    from tensan.sinks.html.shape_picture import picture

    return Audit(examine(model, example), draw=picture)
