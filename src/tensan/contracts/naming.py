"""`tensan.axes`: says what the axes of an array are, for those who follow them through a recorded step."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from tensan.contracts.calls.arrays import Array, Item, inside
from tensan.core import declared
from tensan.core.errors import UsageError

_Array = TypeVar("_Array")
_NAMES = re.compile(r"\s*(?:[A-Za-z_]\w*|\d+)(?:\s+(?:[A-Za-z_]\w*|\d+))*\s*\Z")


def axes(value: _Array, names: str) -> _Array:
    """Says what the axes of an array are called, such as `tensan.axes(mask, "B S")`, and returns the array itself.

    Under `tensan run` the names are followed through the operations of recorded steps, and a place where two of them meet although their
    sizes agree is told. Otherwise only their number is checked.

    Args:
        value: an array, such as a batch or a mask, at the border where its layout is known.
        names: one for each axis, outermost first; `_` or a size where nothing is to be said. `B`, `T` or `S`, `C`, `D`, `H`, `W` are also
            known for what they mostly mean.

    Raises:
        tensan.core.errors.UsageError: when the names cannot be read, or are not as many as the array has axes.
    """
    if not _NAMES.match(names):
        raise UsageError(f"tensan.axes: {names!r} is no list of axes; allowed are names, sizes and _, with spaces between: 'B T D'")
    words = tuple("_" if word.isdecimal() else word for word in names.split())
    shape = getattr(value, "shape", None)
    if shape is None or len(shape) != len(words):
        got = f"got {type(value).__name__}" if shape is None else f"got one with {len(shape)}: {list(shape)}"
        raise UsageError(f"tensan.axes: {names!r} is for an array with {len(words)} axes, {got}")
    declared.declare(value, words)
    return value


def declare_promised(item: Item, value: Any) -> None:
    """Declares the names that a contract gives to the axes of a value that fits it, and of its parts."""
    if isinstance(item, Array):
        names = item.axes.names(getattr(value, "shape", ()))
        if any(name != "_" for name in names):
            declared.declare(value, names)
        return
    for inner, part, _ in inside(item, value, ""):
        if inner is not None:
            declare_promised(inner, part)
