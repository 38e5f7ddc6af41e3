"""LOS124: a gradient penalty holds the norm of a whole batch at one, where each sample's was meant."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence

import msgspec

from tensan.core.events.things import Operation, Shape, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import LAYOUT
from tensan.core.rule import Rule
from tensan.core.sites import Place, resolved
from tensan.core.trees import called_name, expression_at

#: Lay a value out anew, or keep it from zero.
_HARMLESS = frozenset({"clamp", "maximum"})
_SQUARES = frozenset({"pow", "square", "mul", "relu", "clamp"})
_ONES = frozenset({"aten::ones", "aten::ones_like", "aten::new_ones"})


class _Penalty(msgspec.Struct, frozen=True):
    """The norm of a gradient that is to be one.

    Attributes:
        norm: the operation that reduces the gradient; `gradient` is its shape, as it was differentiated.
        wanted: where one is taken from it.
    """

    norm: Operation
    gradient: Shape
    shape: Shape
    wanted: Place


class PenaltyOverBatch(Rule):
    """
    ## What it does

    Finds gradient penalties, `(norm - 1) ** 2`, whose norm is taken over the gradient of all samples together.

    ## Why is this bad?

    A critic is to have a slope of one at each sample. One norm over the batch is the root of the sum of all slopes squared: held at one, it
    leaves each of 64 samples a slope of an eighth on average, and single ones may be as steep as they like. The critic is weak, and the
    larger the batch, the weaker.

    ## Example

    ```python
    gradient, = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    penalty = (gradient.norm(2) - 1) ** 2
    ```

    ## Use instead

    ```python
    gradient, = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    penalty = ((gradient.flatten(1).norm(2, dim=1) - 1) ** 2).mean()
    ```

    ## Known problems

    Told only where the source shows the call of `grad`, and its gradient is that of a batch and not of parameters.
    """

    code = "LOS124"
    name = "penalty-over-batch"
    category = Category.CORRECTNESS
    law = 6
    effect = "wrong-gradient"

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        for penalty in _penalties(loss.operations):
            self.armed = True
            if math.prod(penalty.shape) == 1 and _is_of_batch(loss.operations, penalty):
                yield self._finding(loss, penalty)

    def _finding(self, loss: Loss, penalty: _Penalty) -> Finding:
        samples = penalty.gradient[0]
        return self.finding(
            f"the gradient penalty takes one norm over all {samples} samples, where each sample's was meant to be 1",
            at=penalty.norm.site,
            event=loss,
            label=f"{list(penalty.gradient)} becomes one number",
            evidence={"gradient": list(penalty.gradient), "samples": samples},
            related=[("it is to be 1 here", penalty.wanted)],
            proof_note=f"a norm of 1 over the batch leaves each of {samples} samples {1 / math.sqrt(samples):.3g}, where all are alike",
            help="take the norm of each sample, `gradient.flatten(1).norm(2, dim=1)`, and the mean of the penalties",
            subjects={"*"},
        )


def _penalties(operations: Sequence[Operation]) -> Iterator[_Penalty]:
    """Yields the norms of gradients that are learned to be one."""
    for operation in operations:
        if not _takes_one(operations, operation) or not operation.inputs[0].requires_grad:
            continue
        norm = _norm(operations, operation.inputs[0])
        given = _differentiated(operations, norm.inputs[0]) if norm is not None else None
        if norm is None or given is None or not _is_squared(operations, operation):
            continue
        yield _Penalty(norm=norm, gradient=given.shape, shape=operation.inputs[0].shape, wanted=operation.site)


def _takes_one(operations: Sequence[Operation], operation: Operation) -> bool:
    """Tells whether one is taken from a value: as a number, or as an array of ones."""
    arguments = operation.settings.get("arguments")
    if operation.name == "sub" and len(operation.inputs) == 2:
        taken = operation.inputs[1].producer
        return 0 <= taken < len(operations) and operations[taken].settings.get("aten") in _ONES
    if operation.name not in ("sub", "add") or len(operation.inputs) != 1 or not isinstance(arguments, tuple) or not arguments:
        return False
    number = arguments[0]
    return isinstance(number, (int, float)) and not isinstance(number, bool) and number == (1 if operation.name == "sub" else -1)


def _is_squared(operations: Sequence[Operation], difference: Operation) -> bool:
    return any(
        later.name in _SQUARES and any(value.producer == difference.index for value in later.inputs)
        for later in operations[difference.index + 1 :]
    )


def _norm(operations: Sequence[Operation], value: Value) -> Operation | None:
    """Returns the operation that reduces an array to its norm: `norm` itself, or the sum under a root."""
    made = _made(operations, value)
    if made is None or made.name == "norm":
        return made
    if made.name != "sqrt":
        return None
    summed = _made(operations, made.inputs[0])
    while summed is not None and summed.name == "add" and len(summed.inputs) == 1:
        summed = _made(operations, summed.inputs[0])
    if summed is None or summed.name != "sum":
        return None
    squared = _made(operations, summed.inputs[0])
    is_square = squared is not None and (
        squared.name == "square"
        or (squared.name == "pow" and squared.settings.get("arguments") in ((2,), (2.0,)))
        or (squared.name == "mul" and len(squared.inputs) == 2 and squared.inputs[0].producer == squared.inputs[1].producer)
    )
    return msgspec.structs.replace(summed, inputs=squared.inputs) if squared is not None and is_square else None


def _made(operations: Sequence[Operation], value: Value) -> Operation | None:
    """Returns what made a value, seen through layout and bounds."""
    while 0 <= value.producer < len(operations):
        operation = operations[value.producer]
        if operation.name not in LAYOUT | _HARMLESS or not operation.inputs:
            return operation if operation.inputs else None
        value = operation.inputs[0]
    return None


def _differentiated(operations: Sequence[Operation], value: Value) -> Value | None:
    """Returns a gradient as it came out of `torch.autograd.grad`, where a value is one that was only laid out anew."""
    while 0 <= value.producer < len(operations):
        operation = operations[value.producer]
        if _is_call_of_grad(operation.site):
            return value
        if operation.name not in LAYOUT or not operation.inputs:
            return None
        value = operation.inputs[0]
    return None


def _is_call_of_grad(place: Place) -> bool:
    at = resolved(place)
    expression = expression_at(at) if at is not None else None
    return isinstance(expression, ast.Call) and called_name(expression) == "grad"


def _is_of_batch(operations: Sequence[Operation], penalty: _Penalty) -> bool:
    """Tells whether a gradient is that of a batch: of something that is no parameter, and for which a model has an output per sample."""
    shape = penalty.gradient
    if len(shape) < 2 or shape[0] < 2:
        return False
    values = [value for operation in operations[: penalty.norm.index] for value in operation.inputs if value.requires_grad]
    parameters = [value for value in values if value.shape == shape and (value.subject or "").startswith("parameter")]
    inputs = [value for value in values if value.shape == shape and not (value.subject or "").startswith("parameter")]
    if parameters:
        inputs = [value for value in inputs if _begins_here(operations, value)]
    return bool(inputs) and any(value.shape[:1] == shape[:1] and math.prod(value.shape) == shape[0] for value in values)


def _begins_here(operations: Sequence[Operation], value: Value) -> bool:
    """Tells whether a value requires gradient by itself, as `requires_grad_()` makes it, though nothing that it was made of does."""
    if not 0 <= value.producer < len(operations):
        return True
    return not any(output.requires_grad for output in operations[value.producer].outputs)
