"""Reads off the source of a training loop where it makes a generator anew for each step, always from one seed, and chooses by it."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from types import FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from tensan.adapters.torch.batch_draws import draws_by_row, lengths_given
from tensan.adapters.torch.item_generators import Made, draws_from, made_in, sure_calls
from tensan.adapters.torch.variables import names_of, users_frames
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
            function, owner = _called(call, frame)
            if function is None or not is_users(function.__code__.co_filename):
                continue
            rows = list(made_in(function, None, drawn=_chooses_rows)) if owner is None else []
            yield from rows or _made_by_row(call, function, owner, loop)


def _called(call: ast.Call, frame: FrameType) -> tuple[FunctionType | None, Any]:
    """Returns the function of the user's that a call runs, and the object that it is a method of."""
    owner = _named(call.func.value if isinstance(call.func, ast.Attribute) else call.func, frame)
    if isinstance(owner, FunctionType):
        return (owner, None) if isinstance(call.func, ast.Name) else (None, None)
    if owner is None or isinstance(owner, (type, ModuleType)):
        return None, None
    found = inspect.getattr_static(type(owner), call.func.attr if isinstance(call.func, ast.Attribute) else "__call__", None)
    return (found, owner) if isinstance(found, FunctionType) else (None, None)


def _named(node: ast.expr, frame: FrameType) -> Any:
    if not isinstance(node, ast.Name):
        return None
    return names_of(frame).get(node.id, frame.f_globals.get(node.id))


def _made_by_row(call: ast.Call, function: FunctionType, owner: Any, loop: ast.For | ast.While) -> Iterator[Made]:
    """Yields the generators by which a function draws numbers for each row of a batch that a loop brings."""
    body = body_of(function.__code__)
    if not isinstance(loop, ast.For) or not isinstance(body, ast.FunctionDef):
        return
    lengths = lengths_given(call, body, method=owner is not None, loop=loop)
    if lengths:
        yield from made_in(function, owner, drawn=lambda tree, generator: draws_by_row(tree, generator, lengths))


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
