"""What rules about losses share: where a prediction comes from, and whether numbers are what a loss is defined on."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tensan.core.events.recorded import Layer
from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss
from tensan.core.operations import ELEMENTWISE, EXPAND, LAYOUT, LOSS, POINTWISE, REDUCTION, ancestors, through_layout
from tensan.core.sites import Place

#: How far sums of probabilities may be from one, and how far in half precision.
TOLERANCE = 0.02
HALF_TOLERANCE = 0.15
#: Constants below this are added to keep a logarithm from zero.
_LITTLE = 1e-3
_LOGARITHMS = frozenset({"log_softmax", "log", "log1p", "logsumexp", "softplus"})
_LAYERS = {
    "matmul": "a linear layer",
    "convolution": "a convolution",
    "recurrent": "a recurrent layer",
    "batch_norm": "a normalisation",
    "layer_norm": "a normalisation",
    "group_norm": "a normalisation",
    "embedding": "an embedding",
    "softmax": "a softmax",
    "attention": "attention",
    "pool": "pooling",
    "dropout": "dropout",
}
_PASSED = LAYOUT | ELEMENTWISE | POINTWISE | REDUCTION | EXPAND | {"concatenate", "gather", "masked_fill", "dropout"}


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A place where a prediction meets its target.

    Attributes:
        operation: the one that compares; `taken` and `given` are the positions of prediction and target in its inputs.
        loss: the name of the loss, `difference` or `product` where it is written out.
        one_call: whether what made a product is one call of the program, such as `cross_entropy`.
    """

    operation: Operation
    loss: str
    taken: int = 0
    given: int = 1
    one_call: bool = False

    @property
    def prediction(self) -> Value:
        return self.operation.inputs[self.taken]

    @property
    def target(self) -> Value:
        return self.operation.inputs[self.given]


def comparisons(loss: Loss) -> list[Comparison]:
    """Returns the comparisons that the loss is made of, in the order they ran."""
    operations = loss.operations
    found = []
    for index in sorted(ancestors(operations, [loss.value.producer])):
        operation = operations[index]
        if len(operation.inputs) < 2 or index not in loss.spreads:
            continue
        if operation.name in LOSS:
            if operation.inputs[0].requires_grad:
                found.append(Comparison(operation=operation, loss=operation.name, one_call=True))
        elif operation.name in ("sub", "mul"):
            taken = 0 if operation.inputs[0].requires_grad else 1
            found.append(_written_out(operations, operation, taken))
    return found


def _written_out(operations: Sequence[Operation], operation: Operation, taken: int) -> Comparison:
    """Names a product or a difference: `kl_div` and `cross_entropy` of probabilities are made of several operations in one call."""
    index, given = operation.index, 1 - taken
    around = [
        other
        for other in operations[max(0, index - 3) : index + 4]
        if other.site == operation.site and other.site is not None and other.index != index
    ]
    called = {other.settings.get("aten") for other in around}
    if operation.name == "mul" and "aten::xlogy" in called and given == 0:
        return Comparison(operation=operation, loss="kl_div", taken=taken, given=given, one_call=True)
    if operation.name == "sub" and {"aten::exp", "aten::mul"} <= called and given == 0:
        return Comparison(operation=operation, loss="kl_div_of_logs", taken=taken, given=given, one_call=True)
    producer = operation.inputs[taken].producer
    softmax = operations[producer] if producer >= 0 else None
    if operation.name == "mul" and softmax is not None and softmax.name == "log_softmax" and softmax.site == operation.site is not None:
        return Comparison(operation=operation, loss="cross_entropy", taken=taken, given=given, one_call=True)
    return Comparison(operation=operation, loss="difference" if operation.name == "sub" else "product", taken=taken, given=given)


def source(operations: Sequence[Operation], value: Value, *, also: frozenset[str] = frozenset()) -> Operation | None:
    """Returns what made a value, seen through layout, bounds and a small constant against zeros; None for what came from outside."""
    index = through_layout(operations, value.producer, also=also | {"clamp"})
    while index >= 0 and _adds_little(operations[index]):
        index = through_layout(operations, operations[index].inputs[0].producer, also=also | {"clamp"})
    return operations[index] if index >= 0 else None


def _adds_little(operation: Operation) -> bool:
    arguments = operation.settings.get("arguments", ())
    assert isinstance(arguments, tuple), arguments
    added = arguments[0] if len(arguments) == 1 else None
    return operation.name == "add" and len(operation.inputs) == 1 and isinstance(added, float) and 0 < added < _LITTLE


def passes(operations: Sequence[Operation], value: Value, until: Operation, name: str) -> bool:
    """Tells whether an operation of some name lies between a source and a value that was made of it by layout."""
    index = value.producer
    while index > until.index and operations[index].inputs:
        if operations[index].name == name:
            return True
        index = operations[index].inputs[0].producer
    return False


def raw_from(operations: Sequence[Operation], value: Value) -> Operation | None:
    """Returns the layer that a value comes from where nothing between could have made log-probabilities of it.

    None where a logarithm lies between, or where something does of which that is not known.
    """
    waiting, seen, layers = [value.producer], set[int](), list[Operation]()
    while waiting:
        index = waiting.pop()
        if index in seen:
            continue
        seen.add(index)
        if index < 0:
            continue
        operation = operations[index]
        if operation.name in _LOGARITHMS or "log" in str(operation.settings.get("aten")):
            return None
        if operation.name in _PASSED:
            waiting += [given.producer for given in operation.inputs if given.requires_grad]
            if any(given.requires_grad and given.producer < 0 and given.subject is None for given in operation.inputs):
                return None
        elif operation.name in _LAYERS:
            layers.append(operation)
        else:
            return None
    return max(layers, key=lambda layer: layer.index, default=None)


def layer_name(operation: Operation) -> str:
    """Returns what a layer is called in a sentence: "a linear layer"."""
    return _LAYERS.get(operation.name, f"`{operation.name}`")


def softmax_axis(operation: Operation) -> int | None:
    """Returns the axis of a softmax, counted from the front."""
    arguments = operation.settings.get("arguments", ())
    axis = arguments[0] if isinstance(arguments, tuple) and arguments else None
    if not isinstance(axis, int) or not operation.inputs:
        return None
    rank = len(operation.inputs[0].shape)
    return axis % rank if rank else None


def about_one(sums: tuple[float, float], *, dtype: str = "float32") -> bool:
    """Tells whether all sums along an axis are one, as far as a type can tell."""
    tolerance = TOLERANCE if dtype in ("float32", "float64") else HALF_TOLERANCE
    return abs(sums[0] - 1) <= tolerance and abs(sums[1] - 1) <= tolerance


def place_of(operation: Operation, otherwise: Operation) -> Place:
    """Returns where an operation was called, or where another was; where a sequence called it, the line that put its layer there."""
    layer = operation.settings.get("layer")
    if isinstance(layer, Layer) and layer.listed is not None:
        return layer.listed
    return operation.site if operation.site is not None else otherwise.site
