"""Reads in the user's source how a permutation is used: which statement indexes with it, and whether one array alone is shuffled."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple

from tensan.adapters.torch.code_scopes import functions_of, place_of, scopes_around, statements_of
from tensan.core.sites import Location, Place, Site
from tensan.core.trees import body_of, bound, tree_of, walk

#: Calls that return a random permutation, and calls that shuffle in place.
_PERMUTING = frozenset({"randperm", "permutation"})
_SHUFFLING = frozenset({"shuffle"})
#: Calls that make indices and names, not data.
_LISTING = frozenset(["range", "arange", "listdir", "glob", "iterdir", "keys", "sorted", "rglob", "list", "readlines"])


#: Calls whose result is the array itself, a part of it or its size.
COPYING = frozenset(
    {"len", "size", "range", "tensor", "as_tensor", "from_numpy", "array", "asarray", "astype", "float", "double", "long", "to"}
    | {"copy", "clone", "contiguous", "reshape", "view", "train_test_split", "dataset", "tensordataset", "dataloader"}
)


class Shuffled(NamedTuple):
    """An array that is shuffled by itself, and whether the function that does it is still running."""

    name: str
    place: Location
    is_running: bool


def indexing_line(code: CodeType, name: str) -> Location | None:
    """Returns the first statement that takes an array in the order of a permutation: `X = X[perm]`."""
    for scope in scopes_around(code):
        for statement in statements_of(scope):
            if isinstance(statement, ast.Assign) and _indexed(statement, name):
                return place_of(code, statement)
    return None


def shuffled_alone(place: Place, owner: CodeType | None = None) -> list[Shuffled]:
    """Returns the arrays that are shuffled in place, or put into an order that is used for nothing else, before a place.

    Searched are the function of the place, the functions of its file that had returned by then, and another that is named.
    """
    if not isinstance(place, Site):
        return []
    line = place.key[1]
    found: list[Shuffled] = []
    for scope, is_running in _all_scopes(place.code, owner):
        for statement in statements_of(scope):
            if is_running and statement.lineno > line:
                continue
            for name in _alone(statement, scope):
                given_away = is_running or (_returns_beside_others(scope, name) and _is_array_here(scope, name))
                if given_away and not _computed_from(scope, name, after=statement.lineno):
                    found.append(Shuffled(name, place_of(place.code, statement, scope), is_running))
    return found


def _alone(statement: ast.stmt, scope: ast.AST) -> Iterator[str]:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        for name, taken in bound(statement.targets[0], statement.value):
            if isinstance(taken, ast.Subscript) and _last_name(taken.value) == _last_name(name) != "":
                index = taken.slice
                if _calls(index, _PERMUTING) or (isinstance(index, ast.Name) and _is_for_one(scope, index.id)):
                    yield ast.unparse(taken.value)
    elif isinstance(statement, ast.Expr) and _calls(statement.value, _SHUFFLING):
        call = statement.value
        array = call.args[0] if isinstance(call, ast.Call) and len(call.args) == 1 else None
        # A list of indices is shuffled to be used on all.
        if isinstance(array, (ast.Name, ast.Attribute)) and not _indexes_with(scope, ast.unparse(array)):
            yield ast.unparse(array)


def _returns_beside_others(scope: ast.AST, name: str) -> bool:
    """Tells whether a function gives the array back together with something else, as data with its labels."""
    returned = [node.value for node in walk(scope) if isinstance(node, ast.Return)]
    stored = [node for node in walk(scope) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
    tuples = [[name in _named(part) for part in value.elts] for value in returned if isinstance(value, ast.Tuple)]
    several = any(any(parts) and not all(parts) for parts in tuples)
    return several or (getattr(scope, "name", "") == "__init__" and len(stored) > 1)


def _is_array_here(scope: ast.AST, name: str) -> bool:
    """Tells whether a name is no list of indices or files: of what has returned only the source can tell."""
    made = [node.value for node in walk(scope) if isinstance(node, ast.Assign) and name in [ast.unparse(part) for part in node.targets]]
    return not any(_calls(part, _LISTING) for value in made for part in walk(value))


def _last_name(node: ast.AST) -> str:
    """Returns `x` for `x`, `self.x` and `self.X`."""
    return (node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else "").lower()


def _is_for_one(scope: ast.AST, name: str) -> bool:
    return _made_by(scope, name) and _uses(scope, name) == 1


def _indexes_with(scope: ast.AST, name: str) -> bool:
    return any(isinstance(node, ast.Subscript) and name in _named(node.slice) for node in walk(scope))


def _named(node: ast.AST) -> set[str]:
    return {ast.unparse(part) for part in walk(node) if isinstance(part, (ast.Name, ast.Attribute))}


def _calls(node: ast.AST, names: frozenset[str]) -> bool:
    return isinstance(node, ast.Call) and _last_name(node.func) in names


def _made_by(scope: ast.AST, name: str) -> bool:
    return any(
        isinstance(node, ast.Assign) and _calls(node.value, _PERMUTING) and name in [ast.unparse(target) for target in node.targets]
        for node in walk(scope)
    )


def _uses(scope: ast.AST, name: str) -> int:
    return sum(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) for node in walk(scope))


def _computed_from(scope: ast.AST, name: str, *, after: int) -> bool:
    """Tells whether something but a part or a copy of the array is made of it after it was shuffled, as labels may be."""
    for statement in statements_of(scope):
        if isinstance(statement, ast.Assign) and statement.lineno > after and name in _named(statement.value):
            for node in walk(statement.value):
                if (
                    isinstance(node, (ast.BinOp, ast.Compare, ast.UnaryOp))
                    and name in _named(node)
                    and not _within_slice(statement.value, node)
                ):
                    return True
                if isinstance(node, ast.Call) and name in _named(node) and _last_name(node.func) not in COPYING:
                    return True
    return False


def _within_slice(value: ast.AST, node: ast.AST) -> bool:
    return any(node in walk(part.slice) for part in walk(value) if isinstance(part, ast.Subscript))


def _indexed(statement: ast.Assign, name: str) -> bool:
    return any(
        isinstance(node, ast.Subscript) and any(isinstance(part, ast.Name) and part.id == name for part in walk(node.slice))
        for node in walk(statement.value)
    )


def _all_scopes(code: CodeType, owner: CodeType | None) -> Iterator[tuple[ast.AST, bool]]:
    """Yields functions, with whether they are still running at the place."""
    tree = tree_of(code.co_filename)
    if tree is None:
        return
    yield tree, code.co_name == "<module>"
    innermost, owning = body_of(code), body_of(owner) if owner is not None else None
    for node in functions_of(tree):
        running = node is innermost
        inside = any(isinstance(part, ast.Return) and part.value is not None for part in walk(node))
        if running or inside or node is owning:
            yield node, running
