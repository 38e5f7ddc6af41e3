"""Attention whose weights are normalised over another axis than the one they are summed over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from tensan.core.asks import Change, fix
from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import EXPAND, LAYOUT, ancestors, behind_layout
from tensan.core.rule import Rule
from tensan.rules.axes import axis_before
from tensan.rules.loss._shared import place_of, softmax_axis
from tensan.rules.repairs import over_axis

#: Leave weights what they are.
_KEEP = LAYOUT | EXPAND | {"dropout"}
#: Between a product of queries and keys and its softmax: scaling, a mask, a bias.
_TO_SCORES = LAYOUT | EXPAND | {"div", "mul", "add", "sub", "masked_fill", "where"}
#: Linear maps of a sequence and what is done to queries and keys: norms, rotations by position.
_OF_SEQUENCE = LAYOUT | EXPAND | {"div", "mul", "add", "sub", "concatenate", "layer_norm", "norm", "clamp", "dropout", "neg"}


class Weighing(msgspec.Struct, frozen=True, kw_only=True):
    """A place where weights from a softmax are multiplied with values and summed.

    Attributes:
        softmax: what made the weights.
        summed: the axis of the weights that is summed over.
        product: the operation that sums; values: what is weighed.
    """

    softmax: Operation
    summed: int
    product: Operation
    values: Value


class SoftmaxNotOverKeys(Rule):
    """
    ## What it does
    Finds attention written by hand whose softmax runs over one axis, over the queries or the heads say, while the product with the values
    sums over another, that of the keys.

    ## Why is this bad?
    Attention gives each query a weighted mean of the values. Normalised elsewhere the weights of a query do not sum to one: queries
    compete with each other, a result grows with the number of keys, and a causal or padding mask lets through what it was to keep out.
    Over an axis of one entry every weight is one, and nothing is learned of where to look.

    ## Example
    ```python
    scores = q @ k.transpose(-2, -1) / math.sqrt(d)      # [batch, heads, queries, keys]
    weights = scores.softmax(dim=1)
    out = weights @ v
    ```

    ## Use instead
    ```python
    weights = scores.softmax(dim=-1)
    ```

    ## Known problems
    Speaks where scores are a product of queries and keys, keys and values come from one sequence by linear maps, and the queries from the
    same one or from another part of the batch, and where the softmax has an axis of one entry. Slots, clusters and experts that compete for
    tokens on purpose, and weights that are normalised once more, pass. A softmax over the batch is `samples-mixed`.
    """

    code = "ARC104"
    name = "softmax-not-over-keys"
    category = Category.SUSPICIOUS
    law = 6
    effect = "scrambled"
    explains = frozenset({"unmasked", "no-gradient"})

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        operations = loss.operations
        seen: set[int] = set()
        for weighing in weighings(operations):
            softmax = weighing.softmax
            axis, shape = softmax_axis(softmax), softmax.outputs[0].shape
            if axis is None or softmax.index in seen or not softmax.inputs[0].requires_grad:
                continue
            is_single = shape[axis] == 1
            if not is_single and not _is_attention(operations, weighing):
                continue
            self.armed = True
            if axis != weighing.summed and (is_single or axis > 0 or len(shape) == 2):
                seen.add(softmax.index)
                yield self._finding(loss, weighing, axis, is_single=is_single)

    def _finding(self, loss: Loss, weighing: Weighing, axis: int, *, is_single: bool) -> Finding:
        softmax, summed, product = weighing.softmax, weighing.summed, weighing.product
        given = softmax.inputs[0]
        rank = len(given.shape)
        place = place_of(softmax, product)
        to = summed - rank if summed == rank - 1 else summed
        return self.finding(
            f"attention weights are normalised over axis {axis} of {given}, and summed over axis {summed}",
            at=place,
            event=loss,
            label="an axis of one entry: every weight is 1" if is_single else f"sums to one over axis {axis}, not over the keys",
            evidence={"scores": str(given), "normalised over": axis, "summed over": summed},
            related=[("summed here", product.site)] if product.site != place else (),
            proof_note="a softmax over one entry is 1 whatever the scores are, and no gradient reaches them"
            if is_single
            else f"the product with the values sums over axis {summed}, of {given.shape[summed]} entries, over which the weights do not "
            f"sum to one: they do so over axis {axis}",
            help=f"take the softmax over the axis that is summed over: `dim={to}`",
            subjects={"*"},
            repairs=over_axis(place, to, softmax.name),
            fix=fix(Change.REPLACE, "operation", operation=softmax, axis=summed),
        )


def weighings(operations: Sequence[Operation]) -> Iterator[Weighing]:
    """Yields the places where the result of a softmax, otherwise unchanged, is multiplied and summed."""
    for operation in operations:
        if operation.name == "matmul":
            left, right = operation.inputs[-2:] if len(operation.inputs) > 1 else (None, None)
            if left is None or right is None or min(len(left.shape), len(right.shape)) < 2:
                continue
            operands = ((left, len(left.shape) - 1, right), (right, len(right.shape) - 2, left))
        elif operation.name == "sum":
            operands = _summed(operations, operation)
        else:
            continue
        for weights, axis, values in operands:
            found = _softmax_behind(operations, weights, axis)
            if found is not None:
                yield Weighing(softmax=found[0], summed=found[1], product=operation, values=values)


def _summed(operations: Sequence[Operation], operation: Operation) -> tuple[tuple[Value, int, Value], ...]:
    """Takes a sum of a product apart where each axis is what it was: each side, the axis that is summed over, and the other side."""
    product = operations[operation.inputs[0].producer] if operation.inputs and operation.inputs[0].producer >= 0 else None
    arguments = operation.settings.get("arguments")
    axes = arguments[0] if isinstance(arguments, tuple) and arguments else None
    if product is None or product.name != "mul" or len(product.inputs) != 2 or not isinstance(axes, tuple) or len(axes) != 1:
        return ()
    left, right = product.inputs
    rank = len(product.outputs[0].shape)
    if len(left.shape) != rank or len(right.shape) != rank:
        return ()
    axis = axes[0] % rank
    return tuple((side, axis, other) for side, other in ((left, right), (right, left)) if side.shape[axis] > 1)


def _softmax_behind(operations: Sequence[Operation], weights: Value, axis: int) -> tuple[Operation, int] | None:
    """Returns the softmax that made weights, and which axis of its result one of theirs is."""
    while weights.producer >= 0 and weights.shape[axis] > 1:
        operation = operations[weights.producer]
        if operation.name == "softmax":
            return operation, axis
        # What came from outside is known by its storage, so that another view of it may have this producer.
        if not operation.inputs or not operation.outputs or operation.outputs[0].shape != weights.shape:
            return None
        if _drops(operations, operation):
            weights = operation.inputs[0]
            continue
        before = axis_before(operation, axis) if operation.name in _KEEP else None
        if before is None:
            return None
        weights, axis = operation.inputs[0], before
    return None


def _drops(operations: Sequence[Operation], operation: Operation) -> bool:
    """Tells whether an operation is dropout as a product with numbers that were drawn."""
    if operation.name != "mul" or len(operation.inputs) != 2 or operation.inputs[1].requires_grad:
        return False
    index = operation.inputs[1].producer
    while index >= 0 and operations[index].name == "div":
        index = operations[index].inputs[0].producer
    return index >= 0 and operations[index].name == "dropout"


def _is_attention(operations: Sequence[Operation], weighing: Weighing) -> bool:
    """Tells whether scores are a product of queries and keys, and keys and values are of one sequence."""
    pair = _product(operations, weighing.softmax.inputs[0])
    if pair is None:
        return False
    values = _sources(operations, weighing.values)
    first, second = (_sources(operations, value) for value in pair)
    if not values or values not in (first, second):
        return False
    queries = second if values == first else first
    return queries == values or bool(_read(operations, queries) - _read(operations, values))


def _product(operations: Sequence[Operation], scores: Value) -> tuple[Value, Value] | None:
    """Returns what was multiplied to scores, where both sides were computed from the batch."""
    waiting, seen = [scores.producer], set[int]()
    while waiting:
        index = waiting.pop()
        if index < 0 or index in seen:
            continue
        seen.add(index)
        operation = operations[index]
        if operation.name == "matmul":
            data = _data(operations, operation)
            if len(data) == 2:
                return data[0], data[1]
        elif operation.name in _TO_SCORES:
            waiting += [value.producer for value in operation.inputs if value.requires_grad]
    return None


def _data(operations: Sequence[Operation], operation: Operation) -> list[Value]:
    """Returns the inputs of an operation that are neither parameters nor constants."""
    inputs = [value for value in operation.inputs if not (behind_layout(operations, value).subject or "").startswith("parameter")]
    return [value for value in inputs if value.requires_grad] or [value for value in inputs if value.subject == "batch"]


def _sources(operations: Sequence[Operation], value: Value) -> frozenset[object]:
    """Returns what a value is a linear map of: indices of operations, and shapes of what was delivered."""
    found, waiting, seen = set[object](), [value], set[int]()
    while waiting:
        here = waiting.pop()
        index = here.producer
        if index < 0:
            found.add(here.shape)
            continue
        if index in seen:
            continue
        seen.add(index)
        operation = operations[index]
        data = _data(operations, operation)
        if data and (operation.name in _OF_SEQUENCE or (operation.name == "matmul" and len(data) == 1)):
            waiting += data
        else:
            found.add(index)
    return frozenset(found)


def _read(operations: Sequence[Operation], sources: frozenset[object]) -> frozenset[int]:
    """Returns the operations behind some sources that took what a loader had delivered."""
    behind = ancestors(operations, [index for index in sources if isinstance(index, int)])
    return frozenset(
        index for index in behind if any(value.producer < 0 and value.subject == "batch" for value in operations[index].inputs)
    )
