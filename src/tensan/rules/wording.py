"""How the program itself calls things, read from the source under a finding's carets."""

from __future__ import annotations

import ast
import linecache

from tensan.core.sites import Place, resolved

_LONGEST = 40


def operands(place: Place) -> tuple[str, str] | None:
    """Returns the source text of the two operands at a place: `a - b` or the first two arguments of a call.

    None where the source cannot be had, spans lines, or is neither.
    """
    at = resolved(place)
    if at is None or at.end_line not in (0, at.line) or at.end_column <= at.column:
        return None
    text = linecache.getline(at.path, at.line)[at.column - 1 : at.end_column - 1]
    try:
        expression = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None
    if isinstance(expression, ast.BinOp):
        pair = [expression.left, expression.right]
    elif isinstance(expression, ast.Call) and not expression.keywords[2:]:
        pair = [*expression.args, *(keyword.value for keyword in expression.keywords if keyword.arg in ("input", "target"))][:2]
    else:
        return None
    if len(pair) != 2 or any(isinstance(item, ast.Starred) for item in pair):
        return None
    left, right = (ast.unparse(item) for item in pair)
    return (left, right) if left != right and max(len(left), len(right)) <= _LONGEST else None
