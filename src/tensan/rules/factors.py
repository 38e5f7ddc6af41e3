"""What is known of an axis: its factors, so that merged axes come apart again and split ones are known by their parts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from tensan.core.events.things import Operation, Shape
from tensan.core.sites import Place
from tensan.rules.axes import cuts

#: Lie together on an axis without contradiction.
_KINDS = {"heads": "features", "space": "time"}


class Meaning(msgspec.Struct, frozen=True, kw_only=True):
    """What an axis is.

    Attributes:
        name: as the program calls it, or its role.
        role: one of `protocols.ROLES`, "" where it is not known.
        said_by: who says so: `declared`, or the operation that takes it for that; at: where.
        part: which part of a split axis it is: 1 for the outer, 2 for the inner one, 0 for the whole.
        whole: the size of the axis that was split.
    """

    name: str
    role: str = ""
    said_by: str = "declared"
    at: Place = None
    part: int = 0
    whole: int = 0

    @property
    def is_declared(self) -> bool:
        return self.said_by == "declared"

    def __str__(self) -> str:
        return f"{'outer' if self.part == 1 else 'inner'} part of {self.name}" if self.part else self.name


Factor = tuple[int, Meaning | None]
Axis = tuple[Factor, ...]
Axes = tuple[Axis, ...]


def size_of(axis: Axis) -> int:
    """Returns the number of entries of an axis."""
    return math.prod(size for size, _ in axis)


def unknown(shape: Shape) -> Axes:
    """Returns axes of which nothing is known."""
    return tuple(((size, None),) for size in shape)


def num_known(axis: Axis) -> int:
    """Returns of how many factors of an axis the meaning is known."""
    return sum(meaning is not None for _, meaning in axis)


def are_same(left: Axis, right: Axis) -> bool:
    """Tells whether two axes are made of the same ones in one order."""
    names = [
        tuple((meaning.name, meaning.part) if meaning is not None else None for size, meaning in axis if size > 1) for axis in (left, right)
    ]
    return names[0] == names[1]


def role_of(axis: Axis) -> str:
    """Returns the one role of an axis, "" where it has none or several."""
    roles = {meaning.role if meaning is not None else "" for size, meaning in axis if size > 1}
    return roles.pop() if len(roles) == 1 else ""


def kind_of(role: str) -> str:
    """Returns what roles have in common that may lie on one axis: steps and places, features and their heads."""
    return _KINDS.get(role, role)


def differ(one: str, two: str) -> bool:
    """Tells whether two roles cannot lie on one axis."""
    return bool(one and two) and kind_of(one) != kind_of(two)


def shown(axis: Axis) -> str:
    """Returns an axis as messages have it: its name, or those of its factors in brackets."""
    names = [str(meaning) if meaning is not None else "_" for size, meaning in axis if size > 1 or meaning is not None]
    return names[0] if len(names) == 1 else f"({' '.join(names)})" if names else "1"


def listed(axes: Axes) -> str:
    """Returns all axes of an array as messages have them."""
    return f"[{', '.join(map(shown, axes))}]"


def said_by(meaning: Meaning | None) -> str:
    """Returns who says what an axis is, as messages have it."""
    if meaning is None or meaning.is_declared:
        return "as declared"
    return f"as {meaning.said_by} has it"


def resized(axis: Axis, size: int) -> Axis:
    """Returns an axis of which some entries were taken, or to which some were added."""
    if size_of(axis) == size:
        return axis
    return ((size, axis[0][1] if len(axis) == 1 and size_of(axis) > 1 else None),)


def carried(axes: Axes, made: Shape) -> Axes:
    """Returns the axes of a result of equal rank: what each was, also where it was shortened."""
    return tuple(resized(axis, size) for axis, size in zip(axes, made, strict=True)) if len(axes) == len(made) else unknown(made)


def reduced(operation: Operation, axes: Axes, made: Shape) -> Axes:
    """Returns the axes that a reduction leaves."""
    arguments = operation.settings.get("arguments")
    numbers = list(arguments) if isinstance(arguments, tuple) else []
    if operation.name == "norm":
        numbers = numbers[1:]
    several = next((item for item in numbers if isinstance(item, (tuple, list))), None)
    dims = several if several is not None else [item for item in numbers[:1] if type(item) is int]
    gone = {dim % len(axes) for dim in dims if type(dim) is int} if axes else set[int]()
    kept = tuple(((1, None),) if place in gone else axis for place, axis in enumerate(axes))
    left = kept if len(made) == len(axes) else tuple(axis for place, axis in enumerate(axes) if place not in gone)
    return left if tuple(map(size_of, left)) == made else unknown(made)


def regrouped(axes: Axes, made: Shape) -> Axes:
    """Returns the axes after a reshape: factors go together or come apart; where it cuts across them nothing is known."""
    factors = [factor for axis in axes for factor in axis if factor[0] > 1]
    bounds = cuts(tuple(size for size, _ in factors))
    fresh = cuts(made)
    result: list[Axis] = []
    for place, size in enumerate(made):
        high, low = fresh[place], fresh[place + 1]
        axis: list[Factor] = []
        for number, (length, meaning) in enumerate(factors):
            top, bottom = bounds[number], bounds[number + 1]
            if top <= low or bottom >= high:
                continue
            if top <= high and bottom >= low:
                axis.append((length, meaning))
            elif high <= top and low >= bottom:
                axis.append((size, _part(meaning, length, outer=high == top, inner=low == bottom)))
            elif top > high and high % bottom == 0 and low <= bottom:
                axis.append((high // bottom, _part(meaning, length, outer=False, inner=True)))
            elif bottom < low and top % low == 0 and high >= top:
                axis.append((top // low, _part(meaning, length, outer=True, inner=False)))
            else:
                axis = [(size, None)]
                break
        if math.prod(length for length, _ in axis) != size:
            axis = [(size, None)]
        result.append(tuple(axis) or ((size, None),))
    return tuple(result)


def _part(meaning: Meaning | None, whole: int, *, outer: bool, inner: bool) -> Meaning | None:
    """Returns what the outer or inner part of a split axis is; a part of a part, or one in the middle, is nothing that has a name."""
    if meaning is None or meaning.part or outer == inner:
        return None
    role = "heads" if outer and meaning.role == "features" else meaning.role
    return msgspec.structs.replace(meaning, part=1 if outer else 2, whole=whole, role=role if meaning.role == "features" else "")


def order_to(held: Sequence[str], wanted: Sequence[str]) -> str:
    """Returns the call that brings axes with these roles into that order, "" where they do not tell it."""
    left = list(range(len(held)))
    order: list[int] = []
    for role in wanted:
        found = next((place for place in left if held[place] == role), None)
        if found is None:
            found = next((place for place in left if role and kind_of(held[place]) == kind_of(role)), None)
        order.append(-1 if found is None else found)
        if found is not None:
            left.remove(found)
    for place, found in enumerate(order):
        if found < 0:
            order[place] = left.pop(0)
    return _call_for(order)


def _call_for(order: Sequence[int]) -> str:
    """Returns the call that lays axes in an order, "" where they lie in it."""
    moved = [place for place, found in enumerate(order) if place != found]
    if not moved:
        return ""
    return f"transpose({moved[0]}, {moved[1]})" if len(moved) == 2 else f"permute({', '.join(map(str, order))})"


def how_placed(one: Axes, two: Axes) -> str:
    """Returns how the second array is laid along the first by its names: `[:, None, None, :]`."""
    names = [shown(axis) for axis in one]
    own = [shown(axis) for axis in two]
    if all(name in names for name in own) and len(set(own)) == len(own) and len(two) < len(one):
        places: list[int] = []
        for name in own:
            later = [place for place, other in enumerate(names) if other == name and (not places or place > places[-1])]
            places.append(later[-1] if later else -1)
        if all(place >= 0 for place in places):
            index = ", ".join(":" if place in places else "None" for place in range(places[0], len(one)))
            return f"lay the axes along those that they are: `[{index}]`"
    if sorted(own) == sorted(names) and len(set(own)) == len(own):
        how = _call_for([own.index(name) for name in names])
        return f"bring both into one order: `.{how}` of the second"
    return "bring both into one order of axes: `transpose`, `permute`, or `None` in an index"
