"""Finds the one place of a program that moves the parameters of a copy after those of the model it was made from."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tensan.core.sites import Location
from tensan.core.trees import called_name, location, tree_of, walk

#: Write into what they are called on.
_WRITE = frozenset({"mul_", "lerp_", "copy_", "add_", "sub_", "addcmul_"})
_EACH = "_foreach_"
_PARAMETERS = frozenset({"parameters", "named_parameters"})


def place_of_averaging(paths: Iterable[str]) -> Location | None:
    """Returns where parameters are paired with others and written to; None where several places of some files do so, or none."""
    found: list[Location] = []
    for path in paths:
        tree = tree_of(path)
        if tree is not None:
            found += [location(path, node) for node in _averaging(tree)]
    return found[0] if len(found) == 1 else None


def _averaging(tree: ast.AST) -> Iterator[ast.expr]:
    for node in walk(tree):
        if isinstance(node, ast.For) and _is_paired(node) and any(_writes(inner) for part in node.body for inner in walk(part)):
            yield node.iter
        elif isinstance(node, ast.Call) and called_name(node).startswith(_EACH) and _num_parameters(node) == 2:
            yield node


def _is_paired(loop: ast.For) -> bool:
    """Tells whether a loop runs over the parameters of two models, or over those of one and looks the other's up by name."""
    num_parameters = _num_parameters(loop.iter)
    return num_parameters == 2 or (num_parameters == 1 and _looks_up_by_name(loop))


def _looks_up_by_name(loop: ast.For) -> bool:
    name = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else None
    return isinstance(name, ast.Name) and any(
        isinstance(inner, ast.Subscript) and isinstance(inner.slice, ast.Name) and inner.slice.id == name.id
        for part in loop.body
        for inner in walk(part)
    )


def _num_parameters(node: ast.AST) -> int:
    return sum(isinstance(inner, ast.Call) and called_name(inner) in _PARAMETERS for inner in walk(node))


def _writes(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Attribute) and target.attr == "data" for target in node.targets)
    return isinstance(node, ast.Call) and called_name(node) in _WRITE
