"""The function with which a data set of the program reads an item, and what its body reaches by name."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any

from tensan.core.sites import is_users


def fetching(dataset: Any, method: str = "__getitem__") -> FunctionType | None:
    """Returns a data set's method where the program has written it, None where a library has."""
    function = getattr(type(dataset), method, None)
    return function if isinstance(function, FunctionType) and is_users(function.__code__.co_filename) else None


def reached(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yields what a function's body can reach by name outside its own variables: globals and closed-over ones."""
    for name in function.__code__.co_names:
        if name in function.__globals__:
            yield name, function.__globals__[name]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not filled yet
            continue
