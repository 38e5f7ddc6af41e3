"""Computes integer arithmetic again that the program's own functions did and have returned from, out of what their callers still hold.

Nothing of a function's inside is left, so only what cannot have been otherwise is told: arguments are names that were given their
value once and are written to nowhere, and the function's statements up to the arithmetic run one after the other, whatever comes in.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

from tensan.adapters.torch.code_scopes import times_written
from tensan.adapters.torch.meant_to_wrap import meant_names, unheard
from tensan.adapters.torch.statements import statements
from tensan.adapters.torch.wraparound import CANNOT, Wrapped, arithmetic_in, evaluate, is_array, quiet, wrapped
from tensan.core.sites import Location, is_users
from tensan.core.trees import body_of, location, walk

#: Calls in one scope that are followed.
MOST_CALLS = 16


def wrapped_in_helpers(
    body: ast.AST, names: Mapping[str, Any], world: Mapping[str, Any], *, rows: int
) -> Iterator[tuple[Wrapped, Location]]:
    """Yields arithmetic that has wrapped around in functions which a scope has called, and where it stands.

    Args:
        body: the scope.
        names: what its names hold.
        world: what its module's names hold.
        rows: of each array that are computed with.
    """
    written = times_written(walk(body))
    followed = 0
    for statement, _ in statements(body):
        if not isinstance(statement, ast.Assign) or not _is_held(statement, names):
            continue
        for call in (node for node in walk(statement.value) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            given = [argument.id for argument in call.args if isinstance(argument, ast.Name)]
            if call.keywords or len(given) != len(call.args) or any(written[name] > 1 or name not in names for name in given):
                continue
            assert isinstance(call.func, ast.Name)
            function = names.get(call.func.id, world.get(call.func.id))
            if isinstance(function, FunctionType) and is_users(function.__code__.co_filename) and followed < MOST_CALLS:
                followed += 1
                yield from _wrapped_in(function, [_cut(names[name], rows) for name in given])


def _wrapped_in(function: FunctionType, values: list[Any]) -> Iterator[tuple[Wrapped, Location]]:
    """Yields the first arithmetic of a function that has wrapped around for some arguments."""
    code, body = function.__code__, body_of(function.__code__)
    if not isinstance(body, ast.FunctionDef) or code.co_argcount != len(values) or not any(map(is_array, values)):
        return
    known = dict(zip(code.co_varnames, values, strict=False))
    meant, silenced = meant_names(body), unheard(body)
    for statement in body.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue  # its docstring
        value = statement.value if isinstance(statement, (ast.Assign, ast.Return)) else None
        if value is None or (target is None and isinstance(statement, ast.Assign)):
            return
        name = target.id if isinstance(target, ast.Name) else ""
        if value.lineno not in silenced and name not in meant:
            for node in arithmetic_in(value):
                result = _tried(wrapped, node, known, function.__globals__)
                if result is not None:
                    yield result, location(code.co_filename, node, code.co_qualname)
                    return
        if not name:
            return
        known[name] = _tried(evaluate, value, known, function.__globals__)
        if known[name] is None:
            del known[name]


def _tried(compute: Any, node: ast.AST, names: Mapping[str, Any], world: Mapping[str, Any]) -> Any:
    try:
        with quiet():
            return compute(node, names, world)
    except CANNOT:
        return None


def _is_held(statement: ast.Assign, names: Mapping[str, Any]) -> bool:
    """Tells whether a statement has run: what it assigns is there."""
    return all(isinstance(target, ast.Name) and target.id in names for target in statement.targets)


def _cut(value: Any, rows: int) -> Any:
    return value[:rows] if is_array(value) and len(value.shape) > 0 else value
