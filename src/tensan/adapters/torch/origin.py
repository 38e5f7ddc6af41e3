"""Finds what the program calls a trainable tensor that no module registered, and the line that made it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from typing import Any

from tensan.adapters.torch.source import assigns, in_definition, in_file
from tensan.core.sites import Location, is_users

#: Entries of a list or dict on a module that are looked through.
MOST_HELD = 64


def is_kept(tensor: Any, roots: Iterable[Any]) -> bool:
    """Tells whether a module that is in use, or a part of it, holds a tensor as a plain attribute."""
    return any(
        value is tensor or _holds(value, tensor) for root in roots for module in root.modules() for value in list(vars(module).values())
    )


def _holds(value: Any, tensor: Any) -> bool:
    if type(value) not in (list, tuple, dict) or len(value) > MOST_HELD:
        return False
    return any(item is tensor for item in (value.values() if isinstance(value, dict) else value))


def find(tensor: Any, roots: Iterable[Any]) -> tuple[str, Location | None] | None:
    """Returns the name and the place of an unregistered leaf, or None where neither can be told.

    Args:
        tensor: the leaf.
        roots: modules that the program calls by themselves; their attributes are searched, and those of their parts.
    """
    modules = [(path, module) for root in roots for path, module in root.named_modules()]
    for path, module in modules:
        for name, value in vars(module).items():
            if value is tensor or _holds(value, tensor):
                return f"{path}.{name}" if path else name, place_of_attribute(module, name)
    main = sys.modules.get("__main__")
    for name, value in list(vars(main).items()) if main is not None else ():
        if value is tensor:
            return name, in_file(getattr(main, "__file__", None) or "", assigns(name, attribute=False))
    if type(tensor).__name__ == "Parameter":
        # A parameter that was converted when it was made: the module keeps the result, which is no leaf.
        for _, module in modules:
            place = _in_class(module, _converts_parameter)
            if place is not None:
                return "parameter", place
    return None


def place_of_attribute(module: Any, name: str) -> Location | None:
    """Returns where the class of a module assigns an attribute."""
    return _in_class(module, assigns(name, attribute=True))


def _in_class(module: Any, wanted: Any) -> Location | None:
    file = getattr(sys.modules.get(type(module).__module__), "__file__", None)
    return in_definition(type(module), wanted) if file and is_users(file) else None


def _converts_parameter(node: ast.AST) -> bool:
    """Wants `Parameter(...).something()`."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call)):
        return False
    made = node.func.value.func
    return (made.attr if isinstance(made, ast.Attribute) else made.id if isinstance(made, ast.Name) else "") == "Parameter"
