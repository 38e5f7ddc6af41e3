"""The program's own expression at a place, for rules that must know how a thing was written and not only what it did."""

from __future__ import annotations

import ast

from tensan.core.sites import Place, resolved
from tensan.core.trees import expression_at, tree_of, walk


def call_at(place: Place) -> tuple[ast.Call, ast.AST] | None:
    """Returns the call at a place and the function, or the module, around it; None where the source cannot be had."""
    at = resolved(place)
    tree = tree_of(at.path) if at is not None else None
    found = expression_at(at) if at is not None else None
    if at is None or tree is None or not isinstance(found, ast.Call):
        return None
    around: ast.AST = tree
    for node in walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno <= at.line <= (node.end_lineno or node.lineno):
            around = node  # inner functions are walked later
    return found, around


def names_of_lengths(around: ast.AST) -> frozenset[str]:
    """Returns the names that a function gives to lengths of axes: `b, t, c = x.shape`, `t = x.size(1)`, `n = len(x)`."""
    names: set[str] = set()
    for node in walk(around):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, (ast.Tuple, ast.List)):
                values = node.value.elts if isinstance(node.value, (ast.Tuple, ast.List)) else []
                if _is_shape(node.value):
                    names |= {item.id for item in target.elts if isinstance(item, ast.Name)}
                elif len(values) == len(target.elts):
                    pairs = zip(target.elts, values, strict=True)
                    names |= {item.id for item, value in pairs if isinstance(item, ast.Name) and is_length(value)}
            elif isinstance(target, ast.Name) and is_length(node.value):
                names.add(target.id)
    return frozenset(names)


def is_length(node: ast.expr) -> bool:
    """Tells whether an expression is the length of an axis: `x.shape[1]`, `x.size(1)`, `len(x)`."""
    if isinstance(node, ast.Subscript):
        return _is_shape(node.value)
    if not isinstance(node, ast.Call):
        return False
    named = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
    return (named == "size" and len(node.args) == 1) or (named == "len" and isinstance(node.func, ast.Name))


def _is_shape(node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript):  # a part of it
        return isinstance(node.slice, ast.Slice) and _is_shape(node.value)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "size" and not node.args
    return isinstance(node, ast.Attribute) and node.attr == "shape"
