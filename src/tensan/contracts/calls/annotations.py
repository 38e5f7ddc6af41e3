"""Annotations of jaxtyping as promises: `Float[Tensor, "batch time"]`. Told by their attributes: jaxtyping is the user's to import."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from typing import Any

from tensan.contracts.calls.arrays import Anything, Array, Group, Item
from tensan.contracts.calls.axes import Axes, Axis
from tensan.contracts.calls.dtypes import Dtypes
from tensan.contracts.calls.text import axis
from tensan.core.errors import UsageError


def promised(function: Callable[..., Any], *, where: str) -> dict[str, Item]:
    """Returns what annotations promise of each argument, and of the result under "return"; others are left out.

    Raises:
        UsageError: when an annotation says what a contract cannot.
    """
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError:
        # Names that are imported for type checkers only, and those of a function around it: none of them is an array with axes.
        hints = {name: hint for name, hint in getattr(function, "__annotations__", {}).items() if not isinstance(hint, str)}
    except TypeError:
        return {}
    found = {name: _item(hint, f"{where}: {name}") for name, hint in hints.items()}
    return {name: item for name, item in found.items() if not isinstance(item, Anything)}


def _item(hint: Any, where: str) -> Item:
    if hasattr(hint, "dim_str") and hasattr(hint, "dtypes"):
        return _array(hint, where)
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is tuple and ... not in arguments:
        items = tuple(_item(each, where) for each in arguments)
        return Anything() if all(isinstance(item, Anything) for item in items) else Group(items)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        # Of a choice between several arrays nothing is promised: which one it is cannot be told before it is checked.
        rest = [each for each in arguments if each is not types.NoneType]
        item = _item(rest[0], where) if len(rest) == 1 else Anything()
        if isinstance(item, Array):
            return Array(item.text, item.axes, item.dtypes, optional=True)
    return Anything()


def _array(hint: Any, where: str) -> Array:
    axes = [_axis(word, where) for word in str(hint.dim_str).split()]
    # "any type" is an object of jaxtyping's own, and no list of names.
    names = tuple(hint.dtypes) if isinstance(hint.dtypes, (tuple, list)) else ()
    return Array(f"{hint.__name__}", Axes.of(axes), Dtypes(hint.__name__.partition("[")[0], names) if names else None)


def _axis(word: str, where: str) -> Axis:
    plain = word.partition("=")[2] or word
    repeatable, plain = plain.startswith("#"), plain.removeprefix("#")
    if plain.startswith("{") and plain.endswith("}"):
        plain = plain[1:-1]
    read = axis(plain)
    if isinstance(read, str) or (repeatable and read.many):
        raise UsageError(f"contract of {where}: the axis {word!r} of a jaxtyping annotation is not known to contracts")
    return Axis(read.text, read.name, read.size, read.formula, read.needs, read.many, repeatable)
