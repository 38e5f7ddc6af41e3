"""Finds a statement in the user's source: for places that no hook can see, such as where a generator was made."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from tensan.core.sites import Location
from tensan.core.trees import tree_of, walk

Wanted = Callable[[ast.AST], bool]


def in_definition(thing: Any, wanted: Wanted) -> Location | None:
    """Returns the first statement or expression of a class's or function's source that is wanted, or None."""
    try:
        lines, first = inspect.getsourcelines(thing)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return None
    indent = len(lines[0]) - len(lines[0].lstrip())
    return _found(tree, wanted, inspect.getsourcefile(thing) or "", first - 1, indent, thing.__qualname__)


def in_file(path: str, wanted: Wanted) -> Location | None:
    """Returns the first statement or expression of a file that is wanted, or None."""
    tree = tree_of(path)
    return None if tree is None else _found(tree, wanted, path, 0, 0, "")


def assigns(name: str, *, attribute: bool) -> Wanted:
    """Wants the assignment to a name, or to an attribute of that name."""

    def wanted(node: ast.AST) -> bool:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        return any(
            (isinstance(target, ast.Attribute) and target.attr == name)
            if attribute
            else (isinstance(target, ast.Name) and target.id == name)
            for target in targets
        )

    return wanted


def _found(tree: ast.AST, wanted: Wanted, path: str, above: int, indent: int, function: str) -> Location | None:
    for node in walk(tree):
        if isinstance(node, (ast.stmt, ast.expr)) and wanted(node):
            end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
            return Location(
                path=path,
                line=above + node.lineno,
                column=node.col_offset + indent + 1,
                end_line=above + end_line,
                end_column=end_column + indent + 1,
                function=function,
            )
    return None
