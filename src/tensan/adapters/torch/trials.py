"""Tells calls that the program makes only to see whether they fail: the last of a `try`, or those of a block that expects an error."""

from __future__ import annotations

import ast

from tensan.core.trees import walk

#: Context managers that wait for an error, by the last name: pytest's, unittest's, contextlib's.
_EXPECTS = frozenset({"raises", "assertRaises", "assertRaisesRegex", "suppress"})


def is_trial(tree: ast.AST | None, node: ast.expr) -> bool:
    """Tells whether nothing but an error is awaited of the expression."""
    for each in walk(tree) if tree is not None else ():
        if isinstance(each, ast.Try) and each.handlers:
            for index, statement in enumerate(each.body):
                if _holds(statement, node):
                    return all(map(_only_says, each.body[index + 1 :]))
        elif isinstance(each, (ast.With, ast.AsyncWith)):
            awaited = any(_expects(item.context_expr) for item in each.items)
            if awaited and any(_holds(statement, node) for statement in each.body):
                return True
    return False


def _holds(statement: ast.stmt, node: ast.expr) -> bool:
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    return (value.lineno, value.col_offset, value.end_lineno, value.end_col_offset) == (
        node.lineno,
        node.col_offset,
        node.end_lineno,
        node.end_col_offset,
    )


def _only_says(statement: ast.stmt) -> bool:
    """Tells whether a statement says no more than that there was no error: a constant that is returned or kept, or something printed."""
    match statement:
        case ast.Return(value=None | ast.Constant()) | ast.Assign(value=ast.Constant()) | ast.Pass() | ast.Break() | ast.Continue():
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
            return True
    return False


def _expects(manager: ast.expr) -> bool:
    called = manager.func if isinstance(manager, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return name in _EXPECTS
