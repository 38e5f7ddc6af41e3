"""Names that a program has declared for the axes of its arrays, held weakly: contracts say them, recorded steps look them up."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

from tensan.core.watch import current

Names = tuple[str, ...]

_known: dict[int, tuple[weakref.ref[Any], Names]] = {}
#: Counts declarations, so that a recording sees at the cost of a comparison that there are new ones.
_count = 0


def wanted() -> bool:
    """Tells whether anybody watches, who could follow what is declared."""
    return current() is not None


def declare(value: Any, names: Names) -> None:
    """Says what the axes of an array are called, `_` for one of which nothing is said; nothing is kept where nobody watches."""
    global _count
    if not wanted():
        return
    key = id(value)
    try:
        reference = weakref.ref(value, lambda _: _known.pop(key, None) and None)
    except TypeError:
        return  # numbers and lists: no array of a framework
    _known[key] = reference, names
    _count += 1


def count() -> int:
    """Returns how often something was declared."""
    return _count


def living() -> Iterator[tuple[Any, Names]]:
    """Yields the arrays that are still there, with the names of their axes."""
    for reference, names in list(_known.values()):
        value = reference()
        if value is not None:
            yield value, names
