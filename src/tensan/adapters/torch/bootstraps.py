"""Looks, where a model learns from the values of next states, at what an environment of the program gave out and the program kept.

An environment that moves the very array that it gave out before changes all that was kept: then nothing ever followed a state.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tensan.adapters.torch.kept_arrays import Kept, kept
from tensan.adapters.torch.row_hashes import rows_of
from tensan.adapters.torch.statements import users_trees
from tensan.adapters.torch.trace import Trace
from tensan.core.events.targets import NextStatesSeen
from tensan.core.events.things import Operation
from tensan.core.sites import Location, Place, here
from tensan.core.trees import location, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensan.adapters.torch.recorder import Recorder

#: Steps that are looked at, forwards of a step, and rows of a batch.
MOST_LOOKS = 12
MOST_FORWARDS = 4
LEAST_ROWS = 8
#: Statements of environments that are followed.
MOST_EDITS = 8
#: What a discount can be.
DISCOUNTS = 0.5, 1.0


class _Ahead(NamedTuple):
    """A batch that a model was given without gradients.

    After which backward that was, whether what followed is recorded, its rows, and the place.
    """

    backwards: int
    is_recorded: bool
    rows: list[int]
    site: Place


class Edit(NamedTuple):
    """A statement of an environment's `step` that writes into what that gives out: of which class, the attribute, and where."""

    owner: str
    name: str
    place: Location


class Bootstraps:
    """The batches of the step that runs."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._ahead: deque[_Ahead] = deque(maxlen=MOST_FORWARDS)
        self._looks = 0
        self._edits: list[Edit] | None = None
        self._environment: bool | None = None

    def entered(self, inputs: Any) -> None:
        """A model is about to run with gradients off."""
        if self._looks >= MOST_LOOKS or not self.recorder.attending or not self.recorder.watch.wants(NextStatesSeen):
            return
        given = next((item for item in inputs if isinstance(item, torch.Tensor)), None)
        rows = rows_of(given, distinct=0.0) if given is not None and given.dim() > 1 and given.is_floating_point() else []
        if len(rows) >= LEAST_ROWS:
            self._ahead.append(_Ahead(self.recorder.backwards.count, self.recorder.deep.trace is not None, rows, here(4)))

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded."""
        ahead = [each for each in self._ahead if each.backwards == self.recorder.backwards.count - 1]
        self._ahead.clear()
        given = trace.entered[0][0] if trace.entered and trace.entered[0] else None
        if given is None or not ahead or self._looks >= MOST_LOOKS:
            return
        states = rows_of(given, distinct=0.0)
        ahead = [each for each in ahead if len(each.rows) == len(states)]
        if len(states) < LEAST_ROWS or not ahead:
            return
        same = min(sum(before == after for before, after in zip(states, each.rows, strict=True)) for each in ahead)
        held, edit = self._edit()
        # What was computed before the step was recorded is not known.
        before = self._has_environment() and not any(each.is_recorded for each in ahead)
        if not before and not _is_discounted(trace.operations):
            return
        self._looks += 1
        self.recorder.watch.emit(
            NextStatesSeen(
                step=self.recorder.watch.steps,
                site=held.place or (edit.place if edit is not None else ahead[0].site),
                name=f"self.{edit.name}" if edit is not None else "",
                num_rows=len(states),
                num_same=same,
                is_edited=edit is not None,
                num_kept=held.number,
                edited=edit.place if edit is not None else None,
                used=ahead[0].site,
            )
        )

    def _edit(self) -> tuple[Kept, Edit | None]:
        """Returns the edit whose array the most kept transitions hold, where any do."""
        if self._edits is None:
            self._edits = list(edits_of_environments())[:MOST_EDITS]
        found = [(kept(each.owner, each.name), each) for each in self._edits]
        held, edit = max(found, key=lambda each: each[0].number, default=(Kept(0, None), None))
        return held, edit if held.number else None

    def _has_environment(self) -> bool:
        if self._environment is None:
            self._environment = any(True for _ in environments())
        return self._environment


def _is_discounted(operations: Sequence[Operation]) -> bool:
    """Tells whether numbers without a gradient are multiplied by a number a little below one, and added to others."""
    plain = [operation for operation in operations if not any(value.requires_grad for value in operation.inputs)]
    return any(operation.name == "mul" and _by_discount(operation) for operation in plain) and any(
        operation.name == "add" and len(operation.inputs) == 2 for operation in plain
    )


def _by_discount(operation: Operation) -> bool:
    arguments = operation.settings.get("arguments")
    numbers = arguments if isinstance(arguments, tuple) else ()
    return any(isinstance(number, float) and DISCOUNTS[0] <= number < DISCOUNTS[1] for number in numbers)


def environments() -> Iterator[tuple[str, ast.ClassDef, dict[str, ast.FunctionDef]]]:
    """Yields the classes of the program that can `step` and `reset`, with the files they are in and their methods."""
    for path, tree in users_trees():
        for node in walk(tree):
            if isinstance(node, ast.ClassDef):
                methods = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
                if "step" in methods and "reset" in methods:
                    yield path, node, methods


def edits_of_environments() -> Iterator[Edit]:
    """Yields what `step` of a class of the program writes into and gives out all the same, and the statement that writes."""
    for path, node, methods in environments():
        given = {name for value in _first_returned(methods["step"]) for name in _handed_out(value, methods)}
        for statement in walk(methods["step"]):
            written = _written(statement) & given
            if written:
                yield Edit(node.name, min(written), location(path, statement, f"{node.name}.step"))


def _first_returned(function: ast.FunctionDef) -> Iterator[ast.expr]:
    for node in walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            value = node.value
            yield value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value


def _handed_out(value: ast.expr, methods: dict[str, ast.FunctionDef]) -> set[str]:
    """Returns the attribute that an expression is, itself or through a method that returns it."""
    if isinstance(value, ast.Call) and not value.args and _attribute(value.func) in methods:
        inner = methods[_attribute(value.func)]
        return {name for each in _first_returned(inner) if not isinstance(each, ast.Call) and (name := _attribute(each))}
    name = _attribute(value)
    return {name} if name else set()


def _attribute(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self" else ""


def _written(node: ast.AST) -> set[str]:
    """Returns the attributes of its object that a statement writes into, where they lie."""
    match node:
        case ast.AugAssign(target=target):
            places: list[ast.expr] = [target]
        case ast.Assign(targets=targets):
            places = [target for target in targets if isinstance(target, ast.Subscript)]
        case ast.Expr(value=ast.Call(keywords=keywords)):
            places = [keyword.value for keyword in keywords if keyword.arg == "out"]
        case _:
            return set()
    roots = [place.value if isinstance(place, ast.Subscript) else place for place in places]
    return {name for root in roots if (name := _attribute(root))}
