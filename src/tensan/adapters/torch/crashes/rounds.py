"""Whether a loop that failed was in a later round, so that what it binds further down is what it reads further up."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from torch import nn

from tensan.adapters.torch.crashes.expressions import Reader
from tensan.adapters.torch.crashes.frames import Scope, Step
from tensan.core.trees import called_name, walk

Loop = ast.For | ast.While


class Rebound(NamedTuple):
    """A name that the round before has bound.

    Attributes:
        statement: which bound it; scope: the names as they were then, as far as that is known.
    """

    statement: ast.AST
    scope: Scope


def bound_in_round_before(step: Step, body: ast.AST, name: str, binds: Callable[[ast.AST, str], bool]) -> Rebound | None:
    """Returns the statement of the loop around the failing line that gave a name what it holds; None in a first round, or outside of loops.

    Args:
        step: the frame.
        body: its function.
        name: what is asked for.
        binds: tells whether a target binds a name.
    """
    loops = _loops_around(step, body)
    for loop in loops:
        above, below = [], []
        for node in walk(loop):
            targets = (
                node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, (ast.AugAssign, ast.AnnAssign)) else []
            )
            if isinstance(node, ast.stmt) and any(binds(target, name) for target in targets):
                (above if (node.end_lineno or node.lineno) < step.line else below).append(node)
        if above or (isinstance(loop, ast.For) and binds(loop.target, name)):
            return None  # bound anew in each round
        if below:
            return (
                Rebound(max(below, key=lambda node: node.lineno), _scope_before(step, loop))
                if _is_later(step, loop, alone=len(loops) == 1)
                else None
            )
    return None


def _loops_around(step: Step, body: ast.AST) -> list[Loop]:
    """Returns the loops around the failing line, the innermost first."""
    around = [node for node in walk(body) if isinstance(node, (ast.For, ast.While)) and node.lineno < step.line <= (node.end_lineno or 0)]
    return sorted(around, key=lambda node: -node.lineno)


def _is_later(step: Step, loop: Loop, *, alone: bool) -> bool:
    """Tells whether a round of a loop has been gone through before the one that failed."""
    items, held = _items(step, loop)
    if items is not None:
        return bool(items) and held is not items[0]
    counted = _counted(step, loop)
    if counted is not None:
        return counted > 0
    if not alone:  # names that are bound further down may be from a round of the loop around it
        return False
    only_below = {word for word, line in _stored(loop) if line > step.line} - {word for word, line in _stored(loop) if line <= step.line}
    outside = {word for word, line in _stored(step.body() or loop) if line < loop.lineno}
    return any(word in step.names for word in only_below - outside)


def _stored(node: ast.AST) -> Iterator[tuple[str, int]]:
    for part in walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id, part.lineno


def _items(step: Step, loop: Loop) -> tuple[Any, Any]:
    """Returns what a loop goes over, where that is a sequence, and which of it the loop has come to."""
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
        return None, None
    held, over = step.names.get(loop.target.id), Reader(step).value(loop.iter)
    if isinstance(over, range):
        return None, None  # counted by its number
    return (list(over), held) if isinstance(over, (list, tuple, nn.ModuleList, nn.Sequential)) else (None, None)


def _counted(step: Step, loop: Loop) -> int | None:
    """Returns how many rounds came before, where the loop counts them."""
    if not isinstance(loop, ast.For):
        return None
    call, target = loop.iter, loop.target
    first: Any = 0
    if (
        isinstance(target, (ast.Tuple, ast.List))
        and isinstance(call, ast.Call)
        and called_name(call) == "enumerate"
        and len(call.args) == 1
    ):
        target = target.elts[0]
    else:
        over = Reader(step).value(call)
        if not isinstance(over, range) or not over:
            return None
        first = over[0]
    held = step.names.get(target.id) if isinstance(target, ast.Name) else None
    return abs(held - first) if type(held) is int else None


def _scope_before(step: Step, loop: Loop) -> Scope:
    """Returns the names with what the loop had come to one round earlier."""
    items, held = _items(step, loop)
    place = next((number for number, item in enumerate(items) if item is held), 0) if items is not None else 0
    if not place or not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or items is None:
        return step
    return Scope({**step.names, loop.target.id: items[place - 1]}, step.globals)
