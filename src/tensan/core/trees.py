"""The program's own source as trees, one for each file, and where a part of one stands."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Sequence
from functools import lru_cache
from types import CodeType

from tensan.core.sites import Location, characters

#: Longer files are not read.
MOST_LINES = 20_000
_REMEMBERED = "_tensan_nodes"


@lru_cache(maxsize=64)
def tree_of(path: str) -> ast.Module | None:
    """Returns a file's tree, or None where its source cannot be had."""
    lines = linecache.getlines(path)
    if not lines or len(lines) > MOST_LINES:
        return None
    try:
        return ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return None


def walk(node: ast.AST) -> Sequence[ast.AST]:
    """Returns a node and all below it, in the order of `ast.walk`; remembered, since trees are never changed and often asked."""
    known: Sequence[ast.AST] | None = node.__dict__.get(_REMEMBERED)
    if known is None:
        found = [node]
        for each in found:  # grows as it is gone through
            for field in each._fields:
                value = getattr(each, field, None)
                if isinstance(value, ast.AST):
                    found.append(value)
                elif isinstance(value, list):
                    found += [item for item in value if isinstance(item, ast.AST)]
        known = node.__dict__[_REMEMBERED] = tuple(found)
    return known


def body_of(code: CodeType) -> ast.AST | None:
    """Returns the tree of the function or module that a code object was compiled from."""
    tree = tree_of(code.co_filename)
    if tree is None or code.co_name == "<module>":
        return tree
    for node in walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == code.co_firstlineno:
                return node
    return None


def span_of(node: ast.AST) -> tuple[int, int, int, int]:
    """Returns where a node begins and ends, as trees count: lines from one, bytes from nought."""
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0  # type: ignore[attr-defined]


def location(path: str, node: ast.AST, function: str = "") -> Location:
    """Returns where a node stands."""
    line, column, end_line, end_column = span_of(node)
    return Location(
        path=path,
        line=line,
        column=characters(path, line, column) + 1,
        end_line=end_line or line,
        end_column=characters(path, end_line or line, end_column) + 1,
        function=function,
    )


def called_name(call: ast.Call) -> str:
    """Returns the last name of what a call calls; empty where that has none."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""


def only_call(paths: Iterable[str], name: str) -> Location | None:
    """Returns the one place of some files at which something of that name is called; None where there are several, or none."""
    trees = ((path, tree_of(path)) for path in paths)
    found = [
        location(path, node)
        for path, tree in trees
        if tree is not None
        for node in walk(tree)
        if isinstance(node, ast.Call) and called_name(node) == name
    ]
    return found[0] if len(found) == 1 else None


def bound(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Returns which part of an assigned value goes into which target; the whole into the whole where not both are written out."""
    written_out = (ast.Tuple, ast.List)
    if isinstance(target, written_out) and isinstance(value, written_out) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def expression_at(at: Location) -> ast.expr | None:
    """Returns the expression that a place covers exactly."""
    tree = tree_of(at.path)
    if tree is None or not at.end_column:
        return None
    end_line = at.end_line or at.line
    span = at.line, _bytes(at.path, at.line, at.column), end_line, _bytes(at.path, end_line, at.end_column)
    return next((node for node in walk(tree) if isinstance(node, ast.expr) and span_of(node) == span), None)


def _bytes(path: str, line: int, column: int) -> int:
    return len(linecache.getline(path, line)[: column - 1].encode())
