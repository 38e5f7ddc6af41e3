"""Tells from the source whether a function draws numbers for each row of a batch, and hangs on nothing else that differs by batch."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from tensan.adapters.torch.item_generators import draws_from
from tensan.core.trees import called_name, walk

#: Draw numbers that stand for something. An order of a batch's own rows is not among them: batches that are shuffled differ anyway.
_NUMBERS = frozenset({"randint", "integers", "choice"})


def lengths_given(call: ast.Call, body: ast.FunctionDef, *, method: bool, loop: ast.For) -> dict[str, bool] | None:
    """Returns which parameters a call fills from a batch: with its rows (False) or with how many they are (True).

    None where anything is given that may differ by batch in another way.
    """
    parameters = [argument.arg for argument in body.args.args][1 if method else 0 :]
    batch = {node.id for node in walk(loop.target) if isinstance(node, ast.Name)}
    changing = batch | {node.id for node in walk(loop) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    if len(call.args) > len(parameters) or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    if any(keyword.arg is None for keyword in call.keywords):
        return None
    given = dict(zip(parameters, call.args, strict=False)) | {keyword.arg or "": keyword.value for keyword in call.keywords}
    found: dict[str, bool] = {}
    for name, value in given.items():
        if isinstance(value, ast.Name) and value.id in batch:
            found[name] = False
        elif (rows := _rows_of(value)) is not None and rows in batch:
            found[name] = True
        elif any(isinstance(node, ast.Call) or (isinstance(node, ast.Name) and node.id in changing) for node in walk(value)):
            return None
    return found


def draws_by_row(body: ast.FunctionDef, generator: str, lengths: Mapping[str, bool]) -> bool:
    """Tells whether all that is drawn are numbers for the rows of a batch, from a range that is always the same, and nothing is counted."""
    draws = [node for node in walk(body) if isinstance(node, ast.Call) and draws_from(node, generator)]
    counts = any(
        isinstance(node, (ast.AugAssign, ast.Global, ast.Nonlocal, ast.For, ast.While))
        or (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
        for node in walk(body)
    )
    inside = {part for draw in draws for part in walk(draw)}
    # What else is made of the batch may be laid over the numbers, and then they differ.
    beside = any(isinstance(node, ast.Name) and node.id in lengths and node not in inside for node in walk(body))
    return bool(draws) and not counts and not beside and all(_is_by_row(draw, lengths) for draw in draws)


def _is_by_row(draw: ast.Call, lengths: Mapping[str, bool]) -> bool:
    size = _size(draw)
    if called_name(draw) not in _NUMBERS or size is None:
        return False
    others = [each for each in [*draw.args, *(keyword.value for keyword in draw.keywords)] if each is not size]
    if any(isinstance(node, ast.Name) and node.id in lengths for each in others for node in walk(each)):
        return False
    parts = size.elts if isinstance(size, (ast.Tuple, ast.List)) else [size]
    return any(_is_length(part, lengths) for part in parts)


def _size(draw: ast.Call) -> ast.expr | None:
    """Returns how many numbers a call draws, as it is written; a bound stands in another place."""
    for keyword in draw.keywords:
        if keyword.arg == "size":
            return keyword.value
    if draw.args and isinstance(draw.args[-1], (ast.Tuple, ast.List)):
        return draw.args[-1]
    place = 1 if called_name(draw) == "choice" else 2
    return draw.args[place] if len(draw.args) == place + 1 else None


def _is_length(node: ast.expr, lengths: Mapping[str, bool]) -> bool:
    if isinstance(node, ast.Name):
        return lengths.get(node.id, False)
    rows = _rows_of(node)
    return rows is not None and lengths.get(rows) is False


def _rows_of(node: ast.expr) -> str | None:
    """Returns whose rows an expression counts: `len(x)`, `x.shape[0]`, `x.size(0)`."""
    named: ast.expr | None = None
    if isinstance(node, ast.Call) and called_name(node) == "len" and len(node.args) == 1:
        named = node.args[0]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "size" and _is_zero(node.args):
        named = node.func.value
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and _is_zero([node.slice]):
        named = node.value.value if node.value.attr == "shape" else None
    return named.id if isinstance(named, ast.Name) else None


def _is_zero(nodes: list[ast.expr]) -> bool:
    return len(nodes) == 1 and isinstance(nodes[0], ast.Constant) and nodes[0].value == 0
