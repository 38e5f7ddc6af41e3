"""What a value must be: an array of a type and of axes, a tuple or a mapping of such, or anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tensan.contracts.calls import tracing
from tensan.contracts.calls.axes import Axes, Axis, Bindings
from tensan.contracts.calls.dtypes import Dtypes, casting, name_of
from tensan.core.events.things import typed


@dataclass(frozen=True, slots=True)
class Anything:
    """A value of which nothing is promised."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array: anything with a `shape` and a `dtype`.

    Attributes:
        text: as it was written.
        axes: its axes.
        dtypes: types that its elements may have, None for any.
        optional: whether it may be None.
        like: an argument, or what lies below one, whose type it must have: `self.weight`.
    """

    text: str
    axes: Axes
    dtypes: Dtypes | None = None
    optional: bool = False
    like: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A tuple or list of values, by place."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A mapping of values, by key; others may be there too."""

    items: tuple[tuple[str, Item], ...]


Item = Anything | Array | Group | Record


def mismatch(item: Item, value: Any, path: str, bindings: Bindings) -> str:
    """Returns what is wrong with a value, "" where nothing is; names of axes that are met first are bound."""
    if isinstance(item, Array):
        return _of_array(item, value, path, bindings)
    for inner, found, where in inside(item, value, path):
        if wrong := found if inner is None else mismatch(inner, found, where, bindings):
            return wrong
    return ""


def miscomputed(item: Item, value: Any, path: str, bindings: Bindings) -> str:
    """Returns which axis has not the size that its expression gives, "" where all have; for a value that fits otherwise."""
    if isinstance(item, Array):
        shape = getattr(value, "shape", None)
        if not item.axes.computed or not isinstance(shape, tuple) or item.axes.compute(shape, bindings):
            return ""
        return _said(path, item, value, bindings)
    for inner, found, where in inside(item, value, path):
        if inner is not None and (wrong := miscomputed(inner, found, where, bindings)):
            return wrong
    return ""


def arrays_of(item: Item) -> Iterator[Array]:
    """Yields every array that is promised in it."""
    if isinstance(item, Array):
        yield item
    elif isinstance(item, (Group, Record)):
        for inner in item.items:
            yield from arrays_of(inner[1] if isinstance(inner, tuple) else inner)


def axes_of(item: Item) -> Iterator[Axis]:
    """Yields every axis that is written in it."""
    for array in arrays_of(item):
        yield from array.axes.axes


def _of_array(item: Array, value: Any, path: str, bindings: Bindings) -> str:
    if value is None and item.optional:
        return ""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or dtype is None:
        return f"{path}: expected an array {item.text}, got {type(value).__name__}"
    if not isinstance(shape, tuple):
        shape = tracing.sizes(shape)
        if shape is None:
            tracing.say(f"{path}: traced without a shape, so neither axes nor types are checked")
            return ""
    if item.dtypes is not None and not item.dtypes.allow(dtype):
        return f"{path}: expected {item.dtypes.text}, got {typed(name_of(dtype), tuple(shape))}"
    if item.like and (wanted := bindings.dtypes.get(item.like, dtype)) != dtype and not casting():
        return f"{path}: expected {name_of(wanted)} as {item.like} is, got {typed(name_of(dtype), tuple(shape))}"
    return "" if item.axes.fit(shape, bindings, path) else _said(path, item, value, bindings)


def _said(path: str, item: Array, value: Any, bindings: Bindings) -> str:
    return f"{path}: expected {item.axes.expected(value.shape, bindings)}, got [{', '.join(f'{size}' for size in value.shape)}]"


def inside(item: Item, value: Any, path: str) -> list[tuple[Item | None, Any, str]]:
    """Returns what is promised of each part of a value, with the part and its path; no promise but words where the parts are not there."""
    if isinstance(item, Group):
        if not isinstance(value, (tuple, list)):
            return [(None, f"{path}: expected {len(item.items)} values in a tuple or list, got {type(value).__name__}", path)]
        if len(value) != len(item.items):
            return [(None, f"{path}: expected {len(item.items)} values, got {len(value)}", path)]
        return [(inner, part, f"{path}.{place}") for place, (inner, part) in enumerate(zip(item.items, value, strict=True))]
    if isinstance(item, Record):
        if not isinstance(value, Mapping):
            return [(None, f"{path}: expected a mapping, got {type(value).__name__}", path)]
        lacking = [key for key, _ in item.items if key not in value]
        if lacking:
            return [(None, f"{path}: expected the key {lacking[0]!r}, got {', '.join(map(repr, value)) or 'none'}", path)]
        return [(inner, value[key], f"{path}.{key}") for key, inner in item.items]
    return []
