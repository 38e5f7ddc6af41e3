"""Reads in the source which statement makes an array that the program holds under a name."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import CodeType, FrameType

from tensan.adapters.torch.code_scopes import bound_by, functions_of, place_of, scopes_around, statements_of
from tensan.adapters.torch.usage import COPYING
from tensan.core.sites import Location
from tensan.core.trees import bound, called_name, tree_of, walk

#: Calls whose result is the array itself or a part of it, that make one array of a list of parts, and that add or drop an axis of one.
_HANDING = COPYING | {"stack", "cat", "concatenate", "vstack", "hstack", "unsqueeze", "squeeze", "flatten", "ravel"}
#: Statements through which an array is followed back.
_MOST_HANDED = 4


def origin(named: Iterable[tuple[str, FrameType]]) -> tuple[str, Location | None]:
    """Returns the first of some names of running functions of which it can be told where it is made, and that statement."""
    for name, frame in named:
        place = last_made(frame.f_code, name)
        if place is not None:
            return name, place
    return "", None


def last_made(code: CodeType, name: str) -> Location | None:
    """Returns the statement that makes an array, and not a later one that takes rows of it or gives them another type.

    The first of the scopes around a function that assigns the name decides.
    """
    for scope in scopes_around(code):
        made = [statement for statement in statements_of(scope) if name in _assigned(statement)]
        if made:
            first, called = _first_made(scope, made[-1], name)
            return _returned(code, first, called) or place_of(code, first)
    return None


def _returned(code: CodeType, statement: ast.stmt, name: str) -> Location | None:
    """Returns where a function of the same file makes what a statement gets from it: `x, y = make_windows(series)`."""
    tree = tree_of(code.co_filename)
    if tree is None or not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return None
    call, target = statement.value, statement.targets[0]
    names = [ast.unparse(each) for each in target.elts] if isinstance(target, ast.Tuple) else [name]
    for function in functions_of(tree):
        returns = [node.value for node in walk(function) if isinstance(node, ast.Return)]
        if function.name != called_name(call) or len(returns) != 1 or name not in names:
            continue
        value = returns[0]
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        part = parts[names.index(name)] if len(parts) == len(names) else None
        inner = _handed_on(part) if part is not None else ""
        made = [each for each in statements_of(function) if inner in _assigned(each)]
        if made:
            return place_of(code, _first_made(function, made[-1], inner)[0], function)
    return None


def _first_made(scope: ast.AST, statement: ast.stmt, name: str) -> tuple[ast.stmt, str]:
    """Follows an array back through statements that only take a part of it, stack its parts or give it another type."""
    for _ in range(_MOST_HANDED):
        value = _value_for(statement, name)
        source = _handed_on(value) if value is not None else ""
        earlier = [other for other in statements_of(scope) if other.lineno < statement.lineno and source in _assigned(other)]
        if not earlier:
            break
        statement, name = earlier[-1], source
    return statement, name


def _assigned(statement: ast.stmt) -> set[str]:
    """Returns the names that a statement assigns, and that of a list that it appends to."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and isinstance(statement.value.func, ast.Attribute):
        appended = statement.value.func
        return {appended.value.id} if appended.attr == "append" and isinstance(appended.value, ast.Name) else set()
    return bound_by(statement) if isinstance(statement, ast.Assign) else set()


def _value_for(statement: ast.stmt, name: str) -> ast.expr | None:
    """Returns what a statement assigns to a name: of two tuples, the part in its place."""
    if not isinstance(statement, ast.Assign):
        return None
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Tuple):
        return value
    if isinstance(value, ast.Call) and called_name(value) == "train_test_split":
        value = ast.Tuple(elts=[part for part in value.args for _ in range(2)], ctx=ast.Load())
    return next((part for each, part in bound(target, value) if isinstance(each, ast.Name) and each.id == name), None)


def _handed_on(value: ast.expr) -> str:
    """Returns the name of the array that an expression takes a part of or gives another type: `y[rows]`, `torch.tensor(y).float()`."""
    while True:
        if isinstance(value, ast.Name):
            return value.id
        if isinstance(value, ast.Subscript):
            if isinstance(value.slice, ast.Tuple) or (isinstance(value.slice, ast.Slice) and value.slice.lower is not None):
                return ""  # another array: a column, or one that begins later
            value = value.value
        elif isinstance(value, ast.Call) and called_name(value).lower() in _HANDING:
            if value.args and not isinstance(value.args[0], (ast.Constant, ast.UnaryOp)):
                value = value.args[0]
            elif isinstance(value.func, ast.Attribute):
                value = value.func.value
            else:
                return ""
        else:
            return ""
