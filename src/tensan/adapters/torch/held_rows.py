"""Finds rows that the program takes out of its targets to evaluate with, where a loss is given the targets of all rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import torch

from tensan.adapters.torch.bindings import attributes
from tensan.adapters.torch.statements import resolve, users_modules
from tensan.adapters.torch.supervision import Target, is_plain, targets
from tensan.adapters.torch.trace import StorageReference, Trace, storage_of
from tensan.adapters.torch.variables import scopes, variables
from tensan.core.events.evaluation import HeldRowsLearned
from tensan.core.sites import Location
from tensan.core.trees import location, tree_of, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Rows that targets need, for some of them to be held back, and losses that are looked at.
LEAST_ROWS = 16
MOST_LOOKS = 4
#: How deep in objects of the program the targets are looked for, and among how many attributes of each.
MOST_DEPTH = 2
MOST_ATTRIBUTES = 64
#: What a program calls rows that it holds back.
_HELD = re.compile(r"(?:^|_)(?:val|valid|validation|test|dev|eval|heldout|held_out|holdout)(?:_|$)", re.IGNORECASE)


class _Held(NamedTuple):
    """A name such as `data.test_mask`, and where the program reads it."""

    name: ast.expr
    place: Location


class HeldRows:
    """Looks at the first losses that are given all rows of an array."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0
        #: The fewest rows that a loss was given: where some were left out before, all of them are meant for a last fit.
        self._fewest = 1 << 62
        #: The memory of the targets that were seen last.
        self._last = 0
        self._reference: Any = None

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded."""
        if self._looks >= MOST_LOOKS or not self.recorder.watch.wants(HeldRowsLearned):
            return
        found = next(targets(trace), None)
        if found is None or not is_plain(found.target) or found.target.dim() == 0:
            return
        self._fewest = min(self._fewest, len(found.target))
        if _is_whole(found) and len(found.target) == self._fewest:
            # What is there anew for each step is a batch, and its rows are no others' than those of training.
            storage = storage_of(found.target)
            if storage == self._last and not self._reference.is_gone():
                self._looks += 1
                self._tell(found)
            self._last, self._reference = storage, StorageReference(found.target)

    def _tell(self, found: Target) -> None:
        running, rows = list(scopes()), len(found.target)
        told = HeldRowsLearned(step=self.recorder.watch.steps, site=found.site, targets="", mask="", taken=None, num_held=0, num_rows=rows)
        for name, place in _held():
            held = _indices(resolve(name, *running), rows)
            if held is None or bool((found.target[held] == found.ignored).any()):
                continue
            called = _name_of(found.target)
            if called:
                told = msgspec.structs.replace(told, targets=called, mask=ast.unparse(name), taken=place, num_held=len(held))
                break
        self.recorder.watch.emit(told)


def _name_of(target: Any) -> str:
    """Returns what the program calls the very array that a loss is given, which it may keep in an object; empty where it made a new one."""
    storage = storage_of(target)
    waiting = [(name, value, 0) for name, value, _ in variables(4)]
    while waiting:
        name, value, depth = waiting.pop(0)
        if isinstance(value, torch.Tensor):
            if storage_of(value) == storage:
                return name
        elif depth < MOST_DEPTH and not isinstance(value, (ModuleType, type, torch.nn.Module)):
            waiting += [(f"{name}.{key}", held, depth + 1) for key, held in list(attributes(value).items())[:MOST_ATTRIBUTES]]
    return ""


def _is_whole(found: Target) -> bool:
    """Tells whether a target is all that its memory holds, one entry for each row."""
    target = found.target
    return (
        len(target) >= LEAST_ROWS
        and target.numel() == len(target)
        and bool(target.untyped_storage().nbytes() == target.numel() * target.itemsize)
    )


def _indices(rows: Any, length: int) -> Any:
    """Returns the rows that a mask or an index takes, where it takes some and not all."""
    if not isinstance(rows, torch.Tensor) or not is_plain(rows) or rows.dim() != 1 or rows.is_floating_point() or rows.is_complex():
        return None
    if rows.dtype in (torch.bool, torch.uint8):
        taken = rows.nonzero().reshape(-1) if len(rows) == length else rows[:0]
    else:
        taken = rows.unique()
        if len(taken) < len(rows):
            return None  # labels come more than once, rows do not
    inside = 0 < len(taken) < length and int(taken.max()) < length and int(taken.min()) >= 0
    return taken.long() if inside else None


def _held() -> Iterator[_Held]:
    """Yields what the program's source reads under a name of rows that are held back, each name once."""
    seen: set[str] = set()
    for module in users_modules():
        path = str(module.__file__)
        tree = tree_of(path)
        for node in walk(tree) if tree is not None else ():
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
                name = node.attr if isinstance(node, ast.Attribute) else node.id
                if _HELD.search(name) and ast.unparse(node) not in seen:
                    seen.add(ast.unparse(node))
                    yield _Held(node, location(path, node))
