"""The scopes of a function as trees, the statements of each in the order of their lines, and where one stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType

from tensan.core.sites import Location
from tensan.core.trees import tree_of


def scopes_around(code: CodeType) -> Iterator[ast.AST]:
    """Yields the function of a code object, then its module."""
    tree = tree_of(code.co_filename)
    if tree is not None:
        yield from (node for node in functions_of(tree) if is_of(node, code))
        yield tree


def functions_of(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yields the functions and methods of a file."""
    return (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def is_of(node: ast.FunctionDef | ast.AsyncFunctionDef, code: CodeType) -> bool:
    """Tells whether a code object was compiled from a function."""
    return node.name == code.co_name and min([node.lineno, *(part.lineno for part in node.decorator_list)]) == code.co_firstlineno


def statements_of(scope: ast.AST) -> list[ast.stmt]:
    """Returns the statements of a scope, in the order of their lines; those of functions inside it belong to them."""
    found: list[ast.stmt] = []
    waiting: list[ast.AST] = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            found.append(node)
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return sorted(found, key=lambda statement: statement.lineno)


def place_of(code: CodeType, node: ast.stmt, scope: ast.AST | None = None) -> Location:
    """Returns where a statement stands; the scope gives its function, where that is not the one of the code."""
    name = getattr(scope, "name", "") if scope is not None else "" if code.co_name == "<module>" else code.co_qualname
    return Location(
        path=code.co_filename,
        line=node.lineno,
        column=node.col_offset + 1,
        end_line=node.end_lineno or node.lineno,
        end_column=(node.end_col_offset or 0) + 1,
        function=name,
    )
