"""Shapes: broadcasting that says what it refuses and why, the way back for gradients, assertions for tests, strategies for Hypothesis."""

from tensan.contracts.shapes import (
    assert_same_shape,
    assert_shape,
    broadcast_shape,
    broadcast_to_match,
    refusal,
    unbroadcast,
)
from tensan.contracts.strategies import compatible_shapes, incompatible_shapes

__all__ = [
    "assert_same_shape",
    "assert_shape",
    "broadcast_shape",
    "broadcast_to_match",
    "compatible_shapes",
    "incompatible_shapes",
    "refusal",
    "unbroadcast",
]
