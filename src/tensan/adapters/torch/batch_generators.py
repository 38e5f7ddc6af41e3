"""Reads off the source of a training loop where it makes a generator anew for each step, always from one seed, and chooses rows by it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from types import FrameType, FunctionType
from typing import TYPE_CHECKING

from tensan.adapters.torch.item_generators import Made, draws_from, made_in, sure_calls
from tensan.adapters.torch.variables import users_frames
from tensan.core.events.randomness import ItemsSeeded
from tensan.core.sites import is_users
from tensan.core.trees import body_of, called_name, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Backwards at which the loops around are looked at.
MOST_LOOKS = 2
MOST_FRAMES = 4
_CHOOSING = frozenset({"randint", "randperm", "multinomial", "choice", "integers", "permutation", "sample"})


class BatchGenerators:
    """The functions that a training loop gets its batches from."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.looks_left = MOST_LOOKS if recorder.watch.wants(ItemsSeeded) else 0

    def look(self) -> None:
        """A backward is about to run, on an attended step."""
        self.looks_left -= 1
        watch = self.recorder.watch
        for frame in users_frames(sys._getframe(2), most=MOST_FRAMES):
            for made in _made_around(frame):
                watch.emit(ItemsSeeded(step=watch.steps, generator=made.maker, seed=str(made.seed), loader="", made=made.place, anew=True))


def _made_around(frame: FrameType) -> Iterator[Made]:
    body = body_of(frame.f_code)
    loop = _innermost_loop(body, frame.f_lineno) if body is not None else None
    if loop is None:
        return
    needed = _needed(loop, frame.f_lineno)
    for statement in loop.body:
        if not isinstance(statement, ast.Assign) or needed.isdisjoint(_names(statement.targets)):
            continue
        for call in sure_calls(ast.Module([statement], [])):
            function = frame.f_globals.get(call.func.id) if isinstance(call.func, ast.Name) else None
            if isinstance(function, FunctionType) and is_users(function.__code__.co_filename):
                yield from made_in(function, None, drawn=_chooses_rows)


def _chooses_rows(body: ast.FunctionDef, generator: str) -> bool:
    """Tells whether all that is drawn from a generator are places, by which something is looked up."""
    draws = [node for node in walk(body) if isinstance(node, ast.Call) and draws_from(node, generator)]
    places: set[str] = set()
    for node in walk(body):
        if isinstance(node, ast.Assign) and any(part in draws for part in walk(node.value)):
            places |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in walk(body):
        if isinstance(node, (ast.For, ast.comprehension)) and not places.isdisjoint(_names([node.iter])):
            places |= _names([node.target])
    looked_up = any(
        part in draws or (isinstance(part, ast.Name) and part.id in places)
        for node in walk(body)
        if isinstance(node, ast.Subscript)
        for part in walk(node.slice)
    )
    return bool(draws) and looked_up and all(called_name(draw) in _CHOOSING for draw in draws)


def _innermost_loop(body: ast.AST, line: int) -> ast.For | ast.While | None:
    loops = [
        node for node in walk(body) if isinstance(node, (ast.For, ast.While)) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(loops, key=lambda loop: loop.lineno, default=None)


def _needed(loop: ast.For | ast.While, line: int) -> set[str]:
    """Returns the names that the statement which differentiates is made of, through the assignments before it in the loop."""
    before = [statement for statement in loop.body if statement.lineno <= line]
    needed = _names(before[-1:])
    for statement in reversed(before[:-1]):
        if isinstance(statement, ast.Assign) and not needed.isdisjoint(_names(statement.targets)):
            needed |= _names([statement.value])
    return needed


def _names(nodes: list[ast.stmt] | list[ast.expr]) -> set[str]:
    return {inner.id for node in nodes for inner in walk(node) if isinstance(inner, ast.Name)}
