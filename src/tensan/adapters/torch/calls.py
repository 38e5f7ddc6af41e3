"""What the program wrote around a call that is being made: its argument, and whether the loops that it stands in end as they count."""

from __future__ import annotations

import ast
import sys
from types import CodeType, FrameType

from tensan.adapters.torch.statements import statements
from tensan.core.sites import Site, is_users
from tensan.core.trees import body_of, tree_of, walk

#: Functions of the user's that are looked at, innermost first.
_MOST_FRAMES = 8
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def argument_at(site: Site | None, method: str) -> str:
    """Returns the first argument of a method's call as the program wrote it, or an empty string."""
    call = _call_at(site, method)
    given = [*call.args, *(keyword.value for keyword in call.keywords)] if call is not None else []
    return ast.unparse(given[0]) if given else ""


def _call_at(site: Site | None, method: str) -> ast.Call | None:
    tree = tree_of(site.code.co_filename) if site is not None else None
    if site is None or tree is None:
        return None
    line = site.key[1]
    found = [
        node
        for node in walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return found[0] if len(found) == 1 else None


def is_bounded(depth: int = 1) -> bool:
    """Tells whether all loops of the user's that are running now are counting ones which nothing leaves early."""
    frame: FrameType | None = sys._getframe(depth)
    seen = loops = 0
    while frame is not None and seen < _MOST_FRAMES:
        if is_users(frame.f_code.co_filename):
            seen += 1
            counted = _loops_around(frame.f_code, frame.f_lineno)
            if counted is None:
                return False
            loops += counted
        frame = frame.f_back
    return loops > 0


def _loops_around(code: CodeType, line: int) -> int | None:
    """Returns how many loops a line stands in; None where one of them may end before its count, or the source cannot be had."""
    body = body_of(code)
    if body is None:
        return None if not code.co_name.startswith("<") else 0
    around: tuple[tuple[ast.AST, str], ...] = ()
    for statement, blocks in statements(body):
        if statement.lineno <= line <= (statement.end_lineno or statement.lineno) and len(blocks) >= len(around):
            around = blocks
    loops = [block for block, _ in around if isinstance(block, _LOOPS)]
    if any(isinstance(loop, ast.While) or _leaves(loop) for loop in loops):
        return None
    return len(loops)


def _leaves(loop: ast.AST) -> bool:
    return any(isinstance(node, (ast.Break, ast.Return, ast.Raise)) for node in walk(loop)) or any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "exit" for node in walk(loop)
    )
