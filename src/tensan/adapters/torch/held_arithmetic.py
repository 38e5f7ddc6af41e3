"""Looks at integer arithmetic in the code around a model, which has run already, by what its names still hold.

An assignment is told only where its right side, computed again, gives bit for bit what its name holds: then it is what ran. What the
functions did that this code has called is told where it cannot have been otherwise.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.arithmetic_lines import event_of
from tensan.adapters.torch.bindings import scopes
from tensan.adapters.torch.helper_arithmetic import wrapped_in_helpers
from tensan.adapters.torch.meant_to_wrap import meant_names, unheard
from tensan.adapters.torch.statements import statements
from tensan.adapters.torch.wraparound import CANNOT, arithmetic_in, evaluate, is_array, quiet, wrapped
from tensan.core.events.numerics import IntegersWrapped
from tensan.core.sites import is_users
from tensan.core.trees import body_of, location, tree_of, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Forwards at which the code around is looked at.
MOST_LOOKS = 2
MOST_SCOPES = 4
MOST_STATEMENTS = 400
#: Rows of an array that are computed with.
MOST_ROWS = 256


class HeldArithmetic:
    """The assignments of the running functions and of the main module."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.looks_left = MOST_LOOKS

    def look(self) -> None:
        """A model is about to run for training."""
        self.looks_left -= 1
        if not self.recorder.watch.wants(IntegersWrapped):
            self.looks_left = 0
            return
        with scopes() as running:
            users = [scope for scope in running if is_users(scope.code.co_filename)]
            for scope in users[:MOST_SCOPES]:
                self._look_at(body_of(scope.code), scope.code.co_filename, scope.names, scope.world, scope.code.co_name)
        main = sys.modules.get("__main__")
        path = getattr(main, "__file__", None)
        if isinstance(path, str) and not any(scope.code.co_name == "<module>" for scope in users[:MOST_SCOPES]):
            self._look_at(tree_of(path), path, vars(main), {}, "")

    def _look_at(self, body: ast.AST | None, path: str, names: Mapping[str, Any], world: Mapping[str, Any], function: str) -> None:
        if body is None:
            return
        for result, place in wrapped_in_helpers(body, names, world, rows=MOST_ROWS):
            self.recorder.watch.emit(event_of(result, place, step=self.recorder.watch.steps))
        for target, value in _assignments(body):
            held: Any = names.get(target)
            if not is_array(held) or len(held.shape) == 0:
                continue
            rows = _FirstRows(names, len(held))
            for node in arithmetic_in(value):
                try:
                    with quiet():
                        result = wrapped(node, rows, world)
                        if result is None or not _equal(evaluate(value, rows, world), held[:MOST_ROWS]):
                            continue
                except CANNOT:
                    continue
                if _is_meant(body, target, value):
                    break
                place = location(path, node, "" if function == "<module>" else function)
                self.recorder.watch.emit(event_of(result, place, step=self.recorder.watch.steps))
                break


def _is_meant(body: ast.AST, target: str, value: ast.expr) -> bool:
    return value.lineno in unheard(body) or (isinstance(value, ast.BinOp) and target in meant_names(body))


def _assignments(body: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yields assignments of arithmetic to one name, which does not occur on their right side."""
    for count, (statement, _) in enumerate(statements(body)):
        if count >= MOST_STATEMENTS:
            return
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if not any(isinstance(node, ast.Name) and node.id == name for node in walk(statement.value)):
                yield name, statement.value


class _FirstRows(Mapping[str, Any]):
    """The names of a frame, with the first rows only of whatever is as long as the result."""

    def __init__(self, names: Mapping[str, Any], length: int) -> None:
        self._names, self._length = names, length

    def __getitem__(self, name: str) -> Any:
        value = self._names[name]
        cut = self._length > MOST_ROWS and is_array(value) and len(value.shape) > 0 and len(value) == self._length
        return value[:MOST_ROWS] if cut else value

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _equal(again: Any, held: Any) -> bool:
    if type(again) is not type(held) or again.dtype != held.dtype or again.shape != held.shape:
        return False
    return bool(torch.equal(again, held) if isinstance(held, torch.Tensor) else (again == held).all())
