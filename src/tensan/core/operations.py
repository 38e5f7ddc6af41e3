"""Neutral names of operations, and what is true of each: the one table that adapters translate to and rules reason with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tensan.core.events.things import Operation, Shape, Value

#: Change how values are laid out or stored, never which value belongs to which sample.
LAYOUT = frozenset({"view", "squeeze", "unsqueeze", "transpose", "copy", "cast", "slice", "alias", "contiguous"})
#: Repeat values along an axis without computing anything.
EXPAND = frozenset({"expand"})
#: Combine operands value by value; the result has the broadcast of their shapes.
ELEMENTWISE = frozenset({"add", "sub", "mul", "div", "pow", "maximum", "minimum", "where"})
#: Work on each value alone.
POINTWISE = frozenset(
    {"abs", "neg", "square", "sqrt", "exp", "log", "clamp", "sigmoid", "tanh", "relu", "huber", "log1p", "rsqrt", "softplus", "sign"}
)
#: Shrink axes to one number.
REDUCTION = frozenset({"sum", "mean", "norm", "max", "min", "logsumexp"})
#: Compare a prediction with a target in one call; the first two inputs are prediction and target.
LOSS = frozenset(
    {
        "mse_loss",
        "l1_loss",
        "smooth_l1_loss",
        "huber_loss",
        "nll_loss",
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
        "kl_div",
        "ctc_loss",
        "soft_margin_loss",
        "poisson_nll_loss",
        "gaussian_nll_loss",
    }
)
#: Losses of equal shapes, which broadcast in silence when the shapes differ.
PAIRED_LOSS = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss", "poisson_nll_loss"})
#: Their derivative is unbounded somewhere, most often at zero.
SINGULAR = frozenset({"sqrt", "norm", "log", "div", "rsqrt", "pow", "acos", "asin", "std", "var", "log1p", "atan2", "reciprocal"})
#: Give no gradient to their inputs.
CUTTING = frozenset({"detach", "argmax", "compare", "item", "new", "round", "sign", "one_hot", "cast_integer", "index_of"})


def broadcast(*shapes: Shape) -> Shape:
    """Returns the shape that elementwise operands of these shapes, which fit, have together."""
    result: Shape = ()
    for shape in shapes:
        rank = max(len(shape), len(result))
        left, right = (1,) * (rank - len(shape)) + shape, (1,) * (rank - len(result)) + result
        result = tuple(map(max, left, right))
    return result


def behind_layout(operations: Sequence[Operation], value: Value) -> Value:
    """Returns what a value was before it was laid out anew, where nothing else happened to it: a weight is often transposed before use."""
    while value.subject is None and value.producer >= 0:
        producer = operations[value.producer]
        if producer.name not in LAYOUT or not producer.inputs:
            break
        value = producer.inputs[0]
    return value


def broadcast_grows_both(left: Shape, right: Shape) -> bool:
    """Tells whether combining two shapes is larger than either: each side is repeated along an axis of the other."""
    rank = max(len(left), len(right))
    a, b = (1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right
    return any(x == 1 and y > 1 for x, y in zip(a, b, strict=True)) and any(y == 1 and x > 1 for x, y in zip(a, b, strict=True))


def ancestors(operations: Sequence[Operation], start: Iterable[int]) -> Iterator[int]:
    """Yields, nearest first, the indices of the operations that the given ones depend on, themselves included."""
    seen: set[int] = set()
    waiting = [index for index in start if index >= 0]
    while waiting:
        index = waiting.pop(0)
        if index in seen:
            continue
        seen.add(index)
        yield index
        waiting += [value.producer for value in operations[index].inputs if value.producer >= 0]


def through_layout(operations: Sequence[Operation], index: int, *, also: frozenset[str] = frozenset()) -> int:
    """Follows layout operations back to the one that made the values; returns -1 where they came from outside."""
    while index >= 0 and operations[index].name in LAYOUT | also and operations[index].inputs:
        index = operations[index].inputs[0].producer
    return index


def depends_on(operations: Sequence[Operation], start: int, subject: str) -> bool:
    """Tells whether an operation's result was computed from a subject: a prefix of `Value.subject`, such as `parameter`."""
    return any((value.subject or "").startswith(subject) for index in ancestors(operations, [start]) for value in operations[index].inputs)
