"""Follows the values by which a program keeps its best state: what it has measured, what that is compared with, and which way."""

from __future__ import annotations

import ast
import sys
from functools import lru_cache
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tensan.adapters.torch.patience import Patience
from tensan.adapters.torch.statements import resolve, statements
from tensan.adapters.torch.supervision import is_plain
from tensan.adapters.torch.variables import names_of, users_frames
from tensan.core.events.state import RecordCompared
from tensan.core.sites import Location, function_of
from tensan.core.trees import body_of, bound, called_name, location, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Functions of the program that are looked at, innermost first, and values of one comparison that are told.
MOST_FRAMES = 6
MOST_VALUES = 256

_KEEPING = frozenset({"state_dict", "save", "save_checkpoint", "save_model", "deepcopy", "save_pretrained"})
_WAYS = {ast.Gt: "max", ast.GtE: "max", ast.Lt: "min", ast.LtE: "min"}
_OTHER_WAY = {"max": "min", "min": "max"}


class _Contest(NamedTuple):
    """A comparison under which the program keeps a state, and the record that it then sets."""

    place: Location
    measured: ast.expr
    record: ast.expr
    direction: str


class Records:
    """Reads the values where an epoch of training begins or a state is taken: by then they have been compared."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.patience = Patience(recorder)
        self._read_at: dict[Location, int] = {}
        self._told: dict[Location, int] = {}

    def look(self) -> None:
        """A moment has come at which what was measured last may stand beside the record."""
        self.patience.look()
        if not self.recorder.watch.wants(RecordCompared):
            return
        for frame in users_frames(sys._getframe(1), most=MOST_FRAMES):
            for contest in contests(frame.f_code):
                self._read(contest, frame)

    def _read(self, contest: _Contest, frame: FrameType) -> None:
        place, step = contest.place, self.recorder.watch.steps
        # The first look after a step sees what was compared: a later one may find it set back for the next evaluation.
        if self._read_at.get(place) == step or self._told.get(place, 0) >= MOST_VALUES:
            return
        self._read_at[place] = step
        names = names_of(frame)
        value, record = (_number(resolve(node, names, frame.f_globals)) for node in (contest.measured, contest.record))
        if value is None or record is None:
            return
        self._told[place] = self._told.get(place, 0) + 1
        self.recorder.watch.emit(
            RecordCompared(
                step=step,
                site=place,
                measured=ast.unparse(contest.measured),
                record=ast.unparse(contest.record),
                direction=contest.direction,
                value=value,
                best=record,
            )
        )


@lru_cache(maxsize=512)
def contests(code: CodeType) -> tuple[_Contest, ...]:
    """Returns the comparisons of a function or module under which it sets a record and keeps a state."""
    body = body_of(code) if _KEEPING.intersection(code.co_names) else None
    found = []
    for statement, _ in statements(body) if body is not None else ():
        if isinstance(statement, ast.If):
            found += [contest for contest in _contests_of(statement, code)]
    return tuple(found)


def _contests_of(statement: ast.If, code: CodeType) -> list[_Contest]:
    test = statement.test
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or type(test.ops[0]) not in _WAYS:
        return []
    left, right, way = _named(test.left), _named(test.comparators[0]), _WAYS[type(test.ops[0])]
    place = location(code.co_filename, test, function_of(code))
    found = []
    for suite, keeps in ((statement.body, way), (statement.orelse, _OTHER_WAY[way])):
        if not any(isinstance(node, ast.Call) and called_name(node) in _KEEPING for part in suite for node in walk(part)):
            continue
        assigned = (bound(part.targets[0], part.value) for part in suite if isinstance(part, ast.Assign))
        set_here = {(ast.unparse(name), ast.unparse(value)) for pairs in assigned for name, value in pairs}
        if (ast.unparse(right), ast.unparse(left)) in set_here:
            found.append(_Contest(place, left, right, keeps))
        elif (ast.unparse(left), ast.unparse(right)) in set_here:
            found.append(_Contest(place, right, left, _OTHER_WAY[keeps]))
    return found


def _named(node: ast.expr) -> ast.expr:
    """Returns what holds the value of an expression once it has been computed: of `(score := validate())` the name."""
    return node.target if isinstance(node, ast.NamedExpr) else node


def _number(value: Any) -> float | None:
    if type(value) in (int, float):
        return float(value)
    numpy = sys.modules.get("numpy")
    if isinstance(value, torch.Tensor):
        return float(value.detach()) if is_plain(value) and value.numel() == 1 and not value.is_complex() else None
    return float(value) if numpy is not None and isinstance(value, (numpy.floating, numpy.integer)) else None
