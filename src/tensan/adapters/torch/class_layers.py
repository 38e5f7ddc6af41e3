"""Tells whether scores come from a layer that has a unit for each class, and so could always answer with one of them.

Scores of candidates, as in retrieval, contrastive learning and preferences between two, come from one computation for all of
them: that the right one always stands at the same place is then no way out for the model.
"""

from __future__ import annotations

from typing import Any

from tensan.adapters.torch.trace import Trace
from tensan.core.events.things import Operation, Value
from tensan.core.operations import LAYOUT

#: Leave each class where it is.
_PASSING = LAYOUT | {"softmax", "log_softmax", "sigmoid", "dropout", "clamp", "mul", "div", "add", "sub", "mean", "avg_pool"}
_MOST = 24


def has_unit_per_class(trace: Trace, prediction: Any, outputs: int) -> bool:
    """Tells whether a prediction is, but for its layout and scale, the result of a layer with that many units."""
    index = trace.producer_of(prediction)
    for _ in range(_MOST):
        if index < 0:
            return False
        operation = trace.operations[index]
        if operation.name in ("matmul", "convolution"):
            return _has_weight(trace, operation) and _units(operation) == outputs
        computed = [value for value in operation.inputs if not _is_parameter(trace, value) and value.producer >= 0]
        if operation.name not in _PASSING or len(computed) != 1:
            return False
        index = computed[0].producer
    return False


def _units(operation: Operation) -> int:
    shape = operation.outputs[0].shape if operation.outputs else ()
    return shape[1 if operation.name == "convolution" and len(shape) > 1 else -1] if shape else 0


def _has_weight(trace: Trace, operation: Operation) -> bool:
    return any(_is_parameter(trace, value) for value in operation.inputs)


def _is_parameter(trace: Trace, value: Value) -> bool:
    for _ in range(_MOST):
        if (value.subject or "").startswith("parameter"):
            return True
        if value.producer < 0:
            return False
        maker = trace.operations[value.producer]
        if maker.name not in LAYOUT or not maker.inputs:
            return False
        value = maker.inputs[0]
    return False
