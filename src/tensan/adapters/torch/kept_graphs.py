"""Finds graphs that live on after they were differentiated, and what the program holds them by.

Each node of autograd has a dict for remarks, which lives as long as the node: a mark in it, known to us weakly, tells whether the graph of
a step is still there. A mark alone proves nothing, since garbage in cycles lives on for a while too: only what the program can name counts.
"""

from __future__ import annotations

import ast
import weakref
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch import bindings
from tensan.adapters.torch.source import in_file
from tensan.core.events.training import GraphsKept
from tensan.core.sites import Place
from tensan.core.trees import walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

_REMARK = "tensan"
#: Nodes of one graph that are marked, from the loss on: its result, what it was computed from, the model's output.
MARKED = 12
#: Steps whose graphs must be held by one thing.
LEAST = 12
#: Steps that are remembered.
REMEMBERED = 48
#: Nodes of a sum that are followed, entries of a container that are looked at, from either end.
MOST_NODES = 400
MOST_ENTRIES = 64
#: Searches that have found nothing, after which none is made.
MOST_SEARCHES = 3


class _Mark:
    """Lives as long as one of the nodes that bear it."""

    __slots__ = ("__weakref__", "step")

    def __init__(self, step: int) -> None:
        self.step = step


class KeptGraphs:
    """The graphs of the last attended steps."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._marks: deque[tuple[int, weakref.ref[_Mark]]] = deque(maxlen=REMEMBERED)
        self._searches = 0
        self._searched_at = 0

    def differentiated(self, roots: list[Any], site: Place) -> None:
        """A backward is about to run on an attended step."""
        watch = self.recorder.watch
        if self._searches >= MOST_SEARCHES or len(roots) != 1 or not watch.wants(GraphsKept):
            return
        alive = {step for step, mark in self._marks if step < watch.steps and mark() is not None}
        if len(alive) >= LEAST and len(alive) > self._searched_at:
            self._searches += 1
            self._searched_at = len(alive) + LEAST
            self._search(site)
        mark = _Mark(watch.steps)
        if _put(roots[0].grad_fn, mark):
            self._marks.append((watch.steps, weakref.ref(mark)))

    def _search(self, site: Place) -> None:
        with bindings.scopes() as where:
            found = _holder(where)
            if found is None:
                return
            path, kind, steps, nodes = found
            taken = in_file(path.code.co_filename, _adds_to(path, kind, path.code))
            name = str(path)
        self._searches = MOST_SEARCHES
        watch = self.recorder.watch
        watch.emit(
            GraphsKept(
                step=watch.steps,
                site=site,
                name=name,
                kind=kind,
                steps=steps,
                looked_at=len({step for step, _ in self._marks}),
                nodes=nodes,
                taken=taken,
            )
        )


def _put(start: Any, mark: _Mark) -> bool:
    """Marks the nodes next to the loss; those of parameters live on anyway."""
    waiting, seen = deque([start] if start is not None else []), 0
    while waiting and seen < MARKED:
        node = waiting.popleft()
        if getattr(node, "variable", None) is not None:
            continue
        remarks = getattr(node, "metadata", None)
        if not isinstance(remarks, dict) or _REMARK in remarks:
            continue
        remarks[_REMARK] = mark
        seen += 1
        waiting.extend(following for following, _ in node.next_functions if following is not None)
    return seen > 0


def _holder(where: Sequence[bindings.Scope]) -> tuple[bindings.Name, str, int, int] | None:
    """Returns the name that holds the graphs of most steps, the kind of holder, how many steps, and the nodes of one."""
    best: tuple[bindings.Name, str, int, int] | None = None
    for scope in where:
        for name, value in islice(scope.names.items(), bindings.MOST_ENTRIES):
            if name.startswith("__"):
                continue
            for keys, item in chain([((), value)], _parts(value)):
                kind = "sum" if isinstance(item, torch.Tensor) else "list"
                steps, node = _steps_of(item)
                if len(steps) >= LEAST and (best is None or len(steps) > best[2]):
                    best = bindings.Name(scope.code, name, keys), kind, len(steps), _size(node)
    return best


def _parts(value: Any, depth: int = 2) -> Iterator[tuple[tuple[tuple[str, Any], ...], Any]]:
    """Yields attributes of an object and entries of a dict, and theirs: a meter's sum, a history's list."""
    if isinstance(value, dict):
        inside, way = value, "item"
    elif isinstance(value, (type, torch.Tensor, list, tuple, str, int, float, ModuleType)):
        return
    else:
        inside, way = bindings.attributes(value), "attribute"
    for key, item in islice(inside.items(), MOST_ENTRIES):
        if isinstance(key, (str, int)) and not (isinstance(key, str) and key.startswith("_")):
            yield ((way, key),), item
            if depth > 1:
                for keys, part in _parts(item, depth - 1):
                    yield ((way, key), *keys), part


def _steps_of(item: Any) -> tuple[set[int], Any]:
    steps: set[int] = set()
    last: Any = None
    if type(item) is torch.Tensor:
        if item.grad_fn is not None:
            steps, last = _behind(item.grad_fn)
    elif isinstance(item, (list, deque, tuple)) and len(item) >= LEAST:
        size = len(item)
        ends = chain(islice(item, MOST_ENTRIES), islice(item, max(MOST_ENTRIES, size - MOST_ENTRIES), None)) if size < 100_000 else ()
        for entry in ends:
            for tensor in entry.values() if isinstance(entry, Mapping) else entry if isinstance(entry, (list, tuple)) else (entry,):
                if type(tensor) is torch.Tensor and tensor.grad_fn is not None:
                    mark = _mark(tensor.grad_fn)
                    if mark is not None:
                        steps.add(mark.step)
                        last = tensor.grad_fn
    return steps, last


def _mark(node: Any) -> _Mark | None:
    remarks = getattr(node, "metadata", None)
    mark = remarks.get(_REMARK) if isinstance(remarks, dict) else None
    return mark if isinstance(mark, _Mark) else None


def _behind(start: Any) -> tuple[set[int], Any]:
    """Follows a sum to the marked nodes that it was computed from, and no further."""
    steps: set[int] = set()
    last: Any = None
    waiting, seen = [start], {start}
    while waiting and len(seen) < MOST_NODES:
        node = waiting.pop()
        mark = _mark(node)
        if mark is not None:
            steps.add(mark.step)
            last = node
            continue
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return steps, last


def _size(start: Any) -> int:
    waiting, seen = [start], {start}
    while waiting and len(seen) < 10_000:
        for following, _ in waiting.pop().next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return len(seen)


def _adds_to(path: bindings.Name, kind: str, code: Any) -> Any:
    """Wants the statement that adds to the holder: `total += loss`, `total = total + loss`, `losses.append(loss)`."""

    def is_it(node: ast.AST) -> bool:
        if not path.keys:
            return isinstance(node, ast.Name) and node.id == path.name
        way, key = path.keys[-1]
        if way == "attribute":
            return isinstance(node, ast.Attribute) and node.attr == key
        return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == key

    def wanted(node: ast.AST) -> bool:
        if isinstance(node, ast.AugAssign):
            return is_it(node.target)
        if kind == "sum":
            return (
                isinstance(node, ast.Assign)
                and any(is_it(target) for target in node.targets)
                and isinstance(node.value, ast.BinOp)
                and any(is_it(part) for part in walk(node.value))
            )
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("append", "appendleft", "extend", "insert")
            and is_it(node.func.value)
        )

    return wanted
