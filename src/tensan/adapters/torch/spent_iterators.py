"""Finds a loop that goes, in each pass of a loop around it, over one and the same iterator: it is spent after the first pass.

Nothing of the program's is called: an iterator is known by its type, and a loop that can be left early may go on with the rest.
"""

from __future__ import annotations

import ast
import sys
import weakref
from collections.abc import Iterator, Sequence
from itertools import pairwise
from types import CodeType, GeneratorType
from typing import TYPE_CHECKING, Any, NamedTuple

from torch.utils.data.dataloader import _BaseDataLoaderIter

from tensan.adapters.torch import bindings
from tensan.adapters.torch.statements import UNKNOWN, loops_at, resolve
from tensan.adapters.torch.variables import users_frames
from tensan.core.events.data import IteratorSpent
from tensan.core.sites import Location
from tensan.core.trees import body_of, called_name, location, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

Loop = ast.For | ast.While

#: What comes to an end and cannot begin again.
_ONCE = (zip, enumerate, type(iter([])), type(iter(())), GeneratorType, _BaseDataLoaderIter)
#: Calls around what a loop goes over that add something to each item.
_AROUND = frozenset({"enumerate", "tqdm", "track"})
#: Frames that are looked at.
MOST_FRAMES = 8


class _Line(NamedTuple):
    """Where a running function of the program stands."""

    code: CodeType
    line: int


class _Found(NamedTuple):
    at: Location
    outer: Location
    bound: Location | None
    name: str
    passes: int | None
    generator: weakref.ref[Any] | None


class SpentIterators:
    """Looks at the loops around the first backwards, once for each line."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._seen: set[tuple[_Line, ...]] = set()
        self._found: dict[tuple[str, int], _Found] = {}

    def look(self) -> None:
        """A backward is about to run on an attended step."""
        if not self.recorder.watch.wants(IteratorSpent):
            return
        lines = tuple(_lines())
        if lines in self._seen:
            return
        self._seen.add(lines)
        loops = [(place, loop) for place in lines for loop in loops_at(place.code, place.line)]
        if len(loops) < 2:
            return
        with bindings.scopes() as where:
            for (place, inner), (around, outer) in pairwise(loops):
                found = _spent(place, inner, around, outer, where)
                if found is not None:
                    self._found[found.at.path, found.at.line] = found

    def finish(self) -> None:
        """The run has ended: what a generator would still have had to give is known now."""
        watch = self.recorder.watch
        for found in self._found.values():
            generator = found.generator() if found.generator is not None else None
            if generator is not None and generator.gi_frame is not None:
                continue
            watch.emit(
                IteratorSpent(
                    step=watch.steps, site=found.at, name=found.name, passes=found.passes, repeated=found.outer, bound=found.bound
                )
            )
        self._found.clear()


def _lines() -> Iterator[_Line]:
    for frame in users_frames(sys._getframe(2), most=MOST_FRAMES):
        yield _Line(frame.f_code, frame.f_lineno)


def _spent(place: _Line, inner: Loop, around: _Line, outer: Loop, where: Sequence[bindings.Scope]) -> _Found | None:
    """Tells whether each pass of a loop goes over an iterator that was there before the loop began."""
    if not isinstance(inner, ast.For) or _may_leave(inner):
        return None
    scope = next((scope for scope in where if scope.code is place.code), None)
    outside = next((scope for scope in where if scope.code is around.code), None)
    given = _unwrapped(inner.iter)
    if scope is None or outside is None or not isinstance(given, ast.Name):
        return None
    iterator = resolve(given, scope.names, scope.world)
    if not isinstance(iterator, _ONCE):
        return None
    # The name that the outer loop finds the same iterator under in each of its passes.
    names = [given.id] if place.code is around.code else [name for name, value in outside.names.items() if value is iterator]
    stored = {node.id for node in walk(outer) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    kept = next((name for name in names if name not in stored), None)
    passes = _passes(outer, outside)
    if kept is None or (passes is not None and passes < 2):
        return None
    return _Found(
        at=location(place.code.co_filename, inner.iter, place.code.co_qualname),
        outer=location(around.code.co_filename, outer.iter if isinstance(outer, ast.For) else outer.test),
        bound=_binding(around.code, kept, outer),
        name=given.id,
        passes=passes,
        generator=weakref.ref(iterator) if isinstance(iterator, GeneratorType) else None,
    )


def _may_leave(loop: ast.For) -> bool:
    leaving = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom)
    return any(isinstance(node, leaving) for each in loop.body for node in walk(each))


def _unwrapped(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Call) and node.args and called_name(node) in _AROUND:
        node = node.args[0]
    return node


def _passes(outer: Loop, scope: bindings.Scope) -> int | None:
    """Returns how often the outer loop goes round, where that can be read off."""
    if not isinstance(outer, ast.For):
        return None
    node = _unwrapped(outer.iter)
    if isinstance(node, ast.Call) and called_name(node) in ("range", "trange") and not node.keywords:
        known = [each.value if isinstance(each, ast.Constant) else resolve(each, scope.names, scope.world) for each in node.args]
        ends = [end for end in known if isinstance(end, int)]
        return len(range(*ends)) if ends and len(ends) == len(known) else None
    value = resolve(node, scope.names, scope.world)
    return len(value) if value is not UNKNOWN and type(value) in (list, tuple, range) else None


def _binding(code: CodeType, name: str, outer: Loop) -> Location | None:
    body = body_of(code)
    before = [
        node
        for node in (walk(body) if body is not None else ())
        if isinstance(node, ast.Assign) and node.lineno < outer.lineno and any(name == getattr(each, "id", "") for each in node.targets)
    ]
    return location(code.co_filename, max(before, key=lambda node: node.lineno)) if before else None
