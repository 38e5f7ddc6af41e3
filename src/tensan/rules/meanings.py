"""Follows what axes mean through a recorded step, and finds the operations where two meanings meet although their sizes agree.

A meaning comes from the program, which declares it (`Value.axes`), or from an operation that takes its axes for something.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec

from tensan.core.events.recorded import Layer
from tensan.core.events.things import Operation, Shape, Value
from tensan.core.operations import ELEMENTWISE, EXPAND, LAYOUT, LOSS, POINTWISE, REDUCTION, broadcast
from tensan.core.sites import Place
from tensan.rules.axes import order_of
from tensan.rules.factors import (
    Axes,
    Axis,
    Meaning,
    are_same,
    carried,
    differ,
    how_placed,
    kind_of,
    listed,
    num_known,
    order_to,
    reduced,
    regrouped,
    resized,
    role_of,
    said_by,
    shown,
    size_of,
    unknown,
)
from tensan.rules.protocols import Taken, roles_of, taken_by, taken_by_layer


class Conflict(msgspec.Struct, frozen=True, kw_only=True):
    """An operation where an axis meets another meaning.

    Attributes:
        left, right: what meets, as messages have it.
        what: `meets`, `takes` or `merges`.
        first, second: the values, with their axes; for `takes` the second is what the operation wants.
        note: how that is known; help: what would put it right.
    """

    operation: Operation
    what: str
    left: str
    right: str
    first: str
    second: str
    note: str
    help: str
    related: Place = None


_SAME_RANK = POINTWISE | {
    "softmax",
    "log_softmax",
    "dropout",
    "layer_norm",
    "batch_norm",
    "group_norm",
    "pool",
    "round",
    "cast_integer",
    "detach",
}
_COMPARES = ELEMENTWISE | {"compare", "masked_fill", "addcmul", "addcdiv", "lerp", "atan2", "fmod", "remainder"}


class Follower:
    """Follows the axes of one recorded step.

    Args:
        operations: in the order they ran.
    """

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = operations
        self.compared = False
        self._known: dict[tuple[int, Shape], Axes] = {}
        self._alike: dict[str, str] = {}
        self._entered: dict[str, Axes] = {}

    def conflicts(self) -> Iterator[Conflict]:
        """Yields the conflicts in the order of the operations; an axis over which one arose means nothing afterwards."""
        for operation in self.operations:
            if not operation.inputs or not operation.outputs:
                continue
            given = [self.axes_of(value) for value in operation.inputs]
            yield from self._at_layer(operation, given)
            if (taken := taken_by(operation)) is not None:
                found = self._takes(operation, operation.inputs[0], given[0], taken)
                if found is not None:
                    yield found
                    given[0] = unknown(operation.inputs[0].shape)
            made, found = self._through(operation, given)
            if found is not None:
                yield found
                made = unknown(operation.outputs[0].shape)
            for output in operation.outputs:
                axes = made if tuple(map(size_of, made)) == output.shape else carried(made, output.shape)
                self._known[operation.index, output.shape] = axes
            self._leave_layer(operation)

    def axes_of(self, value: Value) -> Axes:
        """Returns what the axes of a value are: as declared, or as followed."""
        known = self._known.get((value.producer, value.shape)) if value.producer >= 0 else None
        if len(value.axes) != len(value.shape):
            return known or unknown(value.shape)
        named: list[Axis] = []
        for place, (name, role) in enumerate(zip(value.axes, roles_of(value.axes), strict=True)):
            axis: Axis = ((value.shape[place], None if name == "_" else Meaning(name=name, role=role)),)
            before = known[place] if known is not None else ()
            if name == "_" and known is not None:
                axis = before
            elif len(before) == 1 and (old := before[0][1]) is not None and old.is_declared and not old.part and not differ(old.role, role):
                self._alike[self._root(name)] = self._root(old.name)  # two functions call one axis by names of their own
            named.append(axis)
        return tuple(named)

    # ---- what operations take axes for ----

    def _at_layer(self, operation: Operation, given: list[Axes]) -> Iterator[Conflict]:
        layer = operation.settings.get("layer")
        if not isinstance(layer, Layer) or not layer.kind or layer.id in self._entered:
            return
        for number, (value, axes) in enumerate(zip(operation.inputs, given, strict=True)):
            taken = taken_by_layer(layer, len(value.shape)) if self._enters(value, layer) else None
            if taken is not None:
                found = self._takes(operation, value, axes, taken)
                if found is not None:
                    yield found
                    axes = unknown(value.shape)
                # What the layer takes them for is all that is known of them inside, and behind it.
                says = tuple(
                    axis
                    if axis[0][1] is not None or size < 2
                    else ((size, Meaning(name=role, role=role, said_by=taken.who, at=operation.site)),)
                    for axis, size, role in zip(axes, value.shape, taken.roles, strict=True)
                )
                self._entered[layer.id] = given[number] = says
                self._known[value.producer, value.shape] = says
                return

    def _enters(self, value: Value, layer: Layer) -> bool:
        """Tells whether a value was given to a layer: it is no parameter, and was not made inside, as states are."""
        inside = value.producer >= 0 and self.operations[value.producer].settings.get("layer") == layer
        return not inside and not (value.subject or "").startswith("parameter")

    def _leave_layer(self, operation: Operation) -> None:
        """A recurrent layer gives back the first two axes that it was given."""
        layer = operation.settings.get("layer")
        entered = self._entered.get(layer.id) if isinstance(layer, Layer) else None
        if entered is None or not isinstance(layer, Layer) or layer.kind == "MultiheadAttention":
            return
        for output in operation.outputs:
            if len(output.shape) == 3 and output.shape[:2] == tuple(map(size_of, entered[:2])) and output.shape[2] > 1:
                known = self._known.get((operation.index, output.shape))
                if known is None or all(meaning is None for axis in known for _, meaning in axis):
                    self._known[operation.index, output.shape] = (*entered[:2], ((output.shape[2], None),))

    def _takes(self, operation: Operation, value: Value, axes: Axes, taken: Taken) -> Conflict | None:
        """Tells where an operation takes axes for what others of them are: the same axes are meant, in another order."""
        if len(taken.roles) != len(axes):
            return None
        held = [role_of(axis) if size_of(axis) > 1 else "" for axis in axes]
        wrong = _exchanged(held, taken, [size_of(axis) for axis in axes])
        self.compared = self.compared or bool(wrong) or sum(map(bool, held)) > 1
        if not wrong:
            return None
        first = min(wrong) if taken.sized is None else taken.sized
        wanted = taken.roles[first]
        order = order_to(held, taken.roles)
        source = next((meaning for place in wrong for _, meaning in axes[place] if meaning is not None), None)
        return Conflict(
            operation=operation,
            what="takes",
            left=shown(axes[first]),
            right=wanted,
            first=f"{value} as {listed(axes)}",
            second=f"[{', '.join(role or '_' for role in taken.roles)}]",
            note=f"{taken.who} takes axis {first} for {wanted}; it is {shown(axes[first])}, {said_by(source)}",
            help=f"swap the axes before: `.{order}`" if order else "swap the axes before",
            related=source.at if source is not None else None,
        )

    # ---- through an operation ----

    def _through(self, operation: Operation, given: list[Axes]) -> tuple[Axes, Conflict | None]:
        name, inputs, made = operation.name, operation.inputs, operation.outputs[0].shape
        first = given[0]
        if name in LAYOUT | EXPAND | {"detach"}:
            return self._laid_out(operation, first)
        if name == "matmul" and len(inputs) > 1:
            return self._multiplied(operation, given[-2:])
        if name == "attention" and len(inputs) > 2:
            return self._attended(operation, given)
        if name in _COMPARES:
            return self._combined(operation, inputs[:3], given[:3], made)
        if name in LOSS and name != "nll_loss" and len(inputs) > 1:
            axes, found = self._combined(operation, inputs[:2], given[:2], broadcast(inputs[0].shape, inputs[1].shape))
            return (axes if len(axes) == len(made) else unknown(made)), found
        if name == "nll_loss" and len(inputs) > 1:
            return unknown(made), self._classified(operation, given)
        if name == "embedding" and len(inputs) > 1 and made[:-1] == inputs[1].shape:
            features = Meaning(name="features", role="features", said_by="an embedding", at=operation.site)
            return (*given[1], ((made[-1], features),)), None
        if name == "convolution" and len(first) == len(made) and len(first) > 2:
            says = taken_by(operation)
            roles = says.roles if says is not None else ()
            axes = [resized(axis, size) for axis, size in zip(first, made, strict=True)]
            axes[1] = ((made[1], None),)
            if len(roles) == len(axes) and says is not None:
                axes = [
                    axis if role_of(axis) or size < 2 else ((size, Meaning(name=role, role=role, said_by=says.who, at=operation.site)),)
                    for axis, size, role in zip(axes, made, roles, strict=True)
                ]
            return tuple(axes), None
        if name == "concatenate":
            return self._joined(operation, given, made)
        if name in REDUCTION | {"argmax", "std", "var"}:
            return reduced(operation, first, made), None
        if name in _SAME_RANK or len(made) == len(first):
            return carried(first, made), None
        return unknown(made), None

    def _laid_out(self, operation: Operation, axes: Axes) -> tuple[Axes, Conflict | None]:
        given, made = operation.inputs[0].shape, operation.outputs[0].shape
        aten = str(operation.settings.get("aten", "")).rpartition("::")[2]
        if operation.name == "transpose" and len(given) == len(made):
            order = order_of(operation, len(given))
            return (tuple(axes[place] for place in order) if sorted(order) == list(range(len(given))) else unknown(made)), None
        if operation.name in EXPAND:
            return carried(axes[: len(made)] if len(axes) > len(made) else (((1, None),),) * (len(made) - len(axes)) + axes, made), None
        if operation.name == "slice" and len(given) == len(made) + 1:
            arguments = operation.settings.get("arguments")
            first = arguments[0] if isinstance(arguments, tuple) and arguments else 0
            gone = first % len(given) if type(first) is int else 0
            if aten in ("select", "unbind"):
                return tuple(axis for place, axis in enumerate(axes) if place != gone), None
            return unknown(made), None
        if math.prod(given) != math.prod(made) or 0 in given:
            return carried(axes, made) if len(given) == len(made) else unknown(made), None
        if given == made:
            return axes, None
        after = regrouped(axes, made)
        return after, self._merged(operation, axes, after)

    def _merged(self, operation: Operation, before: Axes, axes: Axes) -> Conflict | None:
        """Tells where an axis gets the size of one that was split, but another axis in the place of its outer part."""
        for place, axis in enumerate(axes):
            if len(axis) < 2 or not all(meaning is not None for _, meaning in axis):
                continue
            inner, outer = axis[-1][1], axis[-2][1]
            if inner is None or outer is None or inner.part != 2 or outer.part or size_of(axis) != inner.whole:
                continue
            left_out = next(
                (
                    at
                    for at, other in enumerate(axes)
                    if at != place and len(other) == 1 and (part := other[0][1]) is not None and part.name == inner.name and part.part == 1
                ),
                None,
            )
            if left_out is not None:
                return Conflict(
                    operation=operation,
                    what="merges",
                    left=str(outer),
                    right=f"outer part of {inner.name}",
                    first=f"{operation.inputs[0]} as {listed(before)}",
                    second=listed(axes),
                    note=f"an axis of {inner.whole}, the size of {inner.name}, is made of {outer} and the inner part of {inner.name}; "
                    f"its outer part stays behind on axis {left_out}",
                    help="bring the outer part beside the inner one first: `.transpose(1, 2).reshape(...)`",
                    related=inner.at,
                )
        return None

    def _combined(self, operation: Operation, values: Sequence[Value], given: Sequence[Axes], made: Shape) -> tuple[Axes, Conflict | None]:
        """Lays operands over each other from the last axis on."""
        result: list[Axis] = [((size, None),) for size in made]
        owners: list[int] = [-1] * len(made)
        for number, axes in enumerate(given):
            if len(axes) > len(made):
                return unknown(made), None
            for place, axis in enumerate(axes, len(made) - len(axes)):
                if size_of(axis) == 1 or size_of(axis) != made[place]:
                    continue
                if owners[place] >= 0 and self._contradict(result[place], axis):
                    return tuple(result), self._meeting(operation, values, given, (owners[place], number), result[place], axis)
                if owners[place] < 0 or num_known(axis) > num_known(result[place]):
                    result[place], owners[place] = axis, number
        return tuple(result), None

    def _meeting(
        self,
        operation: Operation,
        values: Sequence[Value],
        given: Sequence[Axes],
        who: tuple[int, int],
        left: Axis,
        right: Axis,
        *,
        help: str = "",
    ) -> Conflict:
        one, two = given[who[0]], given[who[1]]
        source = next((meaning for axis in (right, left) for _, meaning in axis if meaning is not None and not meaning.is_declared), None)
        by = " and ".join(dict.fromkeys(said_by(meaning) for axis in (left, right) for _, meaning in axis[:1] if meaning is not None))
        return Conflict(
            operation=operation,
            what="meets",
            left=shown(left),
            right=shown(right),
            first=f"{values[who[0]]} as {listed(one)}",
            second=f"{values[who[1]]} as {listed(two)}",
            note=f"{shown(left)} and {shown(right)} both have {size_of(left)} entries here, so the shapes fit by chance; {by}",
            help=help or how_placed(one, two),
            related=source.at if source is not None else None,
        )

    def _multiplied(self, operation: Operation, given: Sequence[Axes]) -> tuple[Axes, Conflict | None]:
        left, right = given
        made, values = operation.outputs[0].shape, operation.inputs[-2:]
        if len(left) < 2 or len(left) != len(right) or len(made) != len(left):
            return unknown(made), None
        if self._contradict(left[-1], right[-2]):
            help_ = "multiply over one axis: transpose the side that is laid otherwise"
            return unknown(made), self._meeting(operation, values, given, (0, 1), left[-1], right[-2], help=help_)
        batch, found = self._combined(operation, values, (left[:-2], right[:-2]), made[:-2])
        if found is not None:
            return unknown(made), self._meeting(operation, values, given, (0, 1), *self._first_contradiction(left[:-2], right[:-2]))
        return (*batch, left[-2], right[-1]), None

    def _attended(self, operation: Operation, given: list[Axes]) -> tuple[Axes, Conflict | None]:
        made, values = operation.outputs[0].shape, operation.inputs
        query, key, value = given[:3]
        if len({len(query), len(key), len(value), len(made)}) != 1 or len(made) < 3:
            return unknown(made), None
        pairs = [(0, 1, query[-1], key[-1]), (1, 2, key[-2], value[-2])]
        pairs += [(0, other, query[place], given[other][place]) for other in (1, 2) for place in range(len(made) - 2)]
        for one, two, left, right in pairs:
            if size_of(left) == size_of(right) > 1 and self._contradict(left, right):
                return unknown(made), self._meeting(operation, values, given, (one, two), left, right)
        if len(values) > 3 and 1 < len(given[3]) <= len(made):
            scores = (*query[:-1], key[-2])
            mask = given[3]
            for place, axis in enumerate(mask, len(scores) - len(mask)):
                if size_of(axis) == size_of(scores[place]) > 1 and self._contradict(scores[place], axis):
                    shown = Value(shape=tuple(map(size_of, scores)), dtype=values[0].dtype)
                    found = self._meeting(operation, (shown, values[3]), (scores, mask), (0, 1), scores[place], axis)
                    return unknown(made), found
        return (*query[:-1], value[-1]), None

    def _classified(self, operation: Operation, given: list[Axes]) -> Conflict | None:
        """A loss over classes takes them from axis 1, and its targets have the others."""
        scores, targets = given[:2]
        values = operation.inputs
        if len(scores) < 2 or len(targets) != len(scores) - 1:
            return None
        rest = (scores[0], *scores[2:])
        for place, (left, right) in enumerate(zip(rest, targets, strict=True)):
            classes = scores[1]
            if size_of(classes) > 1 and num_known(classes) and num_known(right) and are_same(classes, right) and not are_same(left, right):
                return Conflict(
                    operation=operation,
                    what="takes",
                    left=shown(classes),
                    right="classes",
                    first=f"{values[0]} as {listed(scores)}",
                    second=f"targets {values[1]} as {listed(targets)}",
                    note=f"the loss takes axis 1 for the classes; it is {shown(classes)}, which is axis {place} of the targets",
                    help="bring the classes to axis 1: `.transpose(1, 2)` for [batch, time, classes]",
                )
            if size_of(left) == size_of(right) > 1 and self._contradict(left, right):
                return self._meeting(operation, values, given, (0, 1), left, right, help="flatten both in one order of their axes")
        return None

    def _joined(self, operation: Operation, given: list[Axes], made: Shape) -> tuple[Axes, Conflict | None]:
        ranks = {len(axes) for axes in given}
        if len(ranks) != 1:
            return unknown(made), None
        rank = ranks.pop()
        if rank == len(made) - 1:  # stacked along a new axis
            arguments = operation.settings.get("arguments")
            numbers = [item for item in arguments if type(item) is int] if isinstance(arguments, tuple) else []
            at = numbers[-1] % len(made) if numbers else 0
            return (*given[0][:at], ((made[at], None),), *given[0][at:]), None
        if rank != len(made):
            return unknown(made), None
        along = [place for place in range(rank) if len({size_of(axes[place]) for axes in given} | {made[place]}) > 1]
        result = list(given[0])
        for number, axes in enumerate(given[1:], 1):
            for place, axis in enumerate(axes):
                if len(along) == 1 and place not in along and size_of(axis) > 1 and self._contradict(result[place], axis):
                    found = self._meeting(operation, operation.inputs, given, (0, number), result[place], axis)
                    return unknown(made), found
                if place not in along and num_known(axis) > num_known(result[place]):
                    result[place] = axis
        return tuple(resized(axis, size) for axis, size in zip(result, made, strict=True)), None

    # ---- whether two meanings can be one ----

    def _first_contradiction(self, one: Axes, two: Axes) -> tuple[Axis, Axis]:
        return next((left, right) for left, right in zip(one, two, strict=True) if self._contradict(left, right))

    def _contradict(self, left: Axis, right: Axis) -> bool:
        left, right = (tuple(factor for factor in axis if factor[0] > 1) for axis in (left, right))
        if not left or not right or len(left) != len(right) or size_of(left) != size_of(right):
            return False
        pairs = [(one, two) for (_, one), (_, two) in zip(left, right, strict=True)]
        if any(one is None or two is None for one, two in pairs):
            return False
        self.compared = True
        return any(self._are_two(one, two) for one, two in pairs if one is not None and two is not None)

    def _are_two(self, one: Meaning, two: Meaning) -> bool:
        if self._root(one.name) == self._root(two.name):
            return bool(one.part and two.part and one.part != two.part)
        if differ(one.role, two.role):
            return True
        if not (one.is_declared and two.is_declared):
            return False
        return not (one.role and two.role and one.role != two.role)

    def _root(self, name: str) -> str:
        seen: set[str] = set()
        while name in self._alike and name not in seen:
            seen.add(name)
            name = self._alike[name]
        return name


def _exchanged(held: Sequence[str], taken: Taken, sizes: Sequence[int]) -> list[int]:
    """Returns the axes that are taken for others, where what is wanted are the same axes in another order, and where that order fits."""
    wrong = [place for place, role in enumerate(held) if differ(role, taken.roles[place])]
    permuted = sorted(map(kind_of, (held[place] for place in wrong))) == sorted(map(kind_of, (taken.roles[place] for place in wrong)))
    if taken.sized is None:
        return wrong if permuted else []
    at = taken.sized
    features = next((place for place, role in enumerate(held) if role == "features" and place != at), None)
    if features is None or kind_of(held[at]) == "features" or sizes[features] != sizes[at]:
        return []
    if not held[at]:
        # Along a sequence lie steps. Over maps of two axes one may run on purpose that is made of embeddings.
        return [at, features] if taken.roles[features] == "time" else []
    return [at, features] if not taken.roles[features] else wrong if permuted else []
