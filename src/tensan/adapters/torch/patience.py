"""Follows the counters by which a program stops early: whether they are set back where what is measured sets a new record."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from tensan.adapters.torch.statements import loops_among, resolve, statements, users_trees
from tensan.adapters.torch.variables import names_of, users_frames
from tensan.core.events.state import PatienceCounted
from tensan.core.sites import Location, function_of, is_users
from tensan.core.trees import body_of, bound, called_name, location, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Functions of the program that are looked at, objects that each holds, and looks that are told of each counter.
MOST_FRAMES = 6
MOST_OBJECTS = 300
MOST_TOLD = 512

#: Calls that only tell.
_TELLING = frozenset({"print", "info", "debug", "warning", "log", "write", "append", "add_scalar", "set_postfix", "set_description"})

_Suite = list[ast.stmt]
_Blocks = Sequence[tuple[ast.AST, str]]


class Counter(NamedTuple):
    """A count of measurements in a row that set no record, as the source has it."""

    place: Location
    counted_at: Location
    record: ast.expr
    counter: ast.expr
    limit: str
    is_set_back: bool


class Patience:
    """Reads counters and records where an epoch of training begins or a state is taken: by then both have been brought up to date."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._told: dict[Location, int] = {}

    def look(self) -> None:
        """A moment has come at which counters may stand beside their records."""
        if not self.recorder.watch.wants(PatienceCounted):
            return
        for frame in users_frames(sys._getframe(1), most=MOST_FRAMES):
            names = names_of(frame)
            for counter in counters(frame.f_code):
                self._read(counter, id(frame), names, frame.f_globals)
            for thing in _held(names):
                for own, counter in counters_of_class(type(thing)):
                    self._read(counter, id(thing), {own: thing})

    def _read(self, counter: Counter, holder: int, *scopes: Any) -> None:
        count, record = resolve(counter.counter, *scopes), resolve(counter.record, *scopes)
        told = self._told.get(counter.place, 0)
        if type(count) is not int or type(record) is bool or not isinstance(record, (int, float)) or told >= MOST_TOLD:
            return
        self._told[counter.place] = told + 1
        self.recorder.watch.emit(
            PatienceCounted(
                step=self.recorder.watch.steps,
                site=counter.place,
                counted_at=counter.counted_at,
                counter=ast.unparse(counter.counter),
                record=ast.unparse(counter.record),
                limit=counter.limit,
                is_set_back=counter.is_set_back,
                holder=holder,
                count=count,
                best=float(record),
            )
        )


def _held(names: Any) -> Iterator[Any]:
    """Yields what running code has by name, or `self` holds, where its class is the program's own."""
    own = names.get("self")
    inner = vars(own) if hasattr(own, "__dict__") else {}
    seen: set[int] = set()
    for thing in [*list(names.values())[:MOST_OBJECTS], *list(inner.values())[:MOST_OBJECTS]]:
        if id(thing) not in seen and not isinstance(thing, type):
            seen.add(id(thing))
            yield thing


@lru_cache(maxsize=512)
def counters_of_class(kind: type) -> tuple[tuple[str, Counter], ...]:
    """Returns the counters that the methods of a class keep as attributes, each with the name that the method has for its object."""
    found = []
    for function in vars(kind).values():
        code = function.__code__ if isinstance(function, FunctionType) else None
        if code is not None and code.co_argcount and is_users(code.co_filename):
            found += [(code.co_varnames[0], each) for each in counters(code) if isinstance(each.counter, ast.Attribute)]
    return tuple(found)


@lru_cache(maxsize=512)
def counters(code: CodeType) -> tuple[Counter, ...]:
    """Returns the counters of a function or module that stand beside a record and stop it."""
    body = body_of(code)
    found = []
    for statement, blocks in statements(body) if body is not None and not isinstance(body, ast.Lambda) else ():
        if isinstance(statement, ast.If):
            for better, worse in (
                (statement.body, statement.orelse or _after(statement, blocks, body)),
                (statement.orelse, statement.body),
            ):
                record, counted = _record(statement.test, better), _counted(worse)
                if body is not None and record is not None and counted is not None:
                    found += _counter(code, body, statement, record, counted, blocks)
    return tuple(found)


def _counter(code: CodeType, body: ast.AST, test: ast.If, record: ast.expr, counted: ast.AugAssign, blocks: _Blocks) -> list[Counter]:
    name = counted.target
    trees = [tree for _, tree in users_trees()] if isinstance(name, ast.Attribute) else [body]
    limit = next((limit for tree in trees for limit in _limits(tree, ast.unparse(name))), None)
    is_set_back = _is_set_elsewhere(trees, body, name, counted)
    if limit is None or is_set_back is None or not (isinstance(name, ast.Attribute) or loops_among(blocks)):
        return []
    places = (location(code.co_filename, node, function_of(code)) for node in (test.test, counted))
    return [Counter(next(places), next(places), record, name, limit, is_set_back)]


def _record(test: ast.expr, suite: _Suite) -> ast.expr | None:
    """Returns what is set to the measured value under a comparison of the two."""
    compared = {
        ast.unparse(part) for node in walk(test) if isinstance(node, ast.Compare) for part in walk(node) if isinstance(part, ast.expr)
    }
    pairs = [pair for part in suite if isinstance(part, ast.Assign) for pair in bound(part.targets[0], part.value)]
    for target, value in pairs:
        if isinstance(target, (ast.Name, ast.Attribute)) and {ast.unparse(target), ast.unparse(value)} <= compared:
            return target
    return None


def _after(statement: ast.If, blocks: _Blocks, body: ast.AST | None) -> _Suite:
    """Returns what is only run where a condition does not hold, because its suite leaves the function or the round of the loop."""
    around = getattr(*blocks[-1], None) if blocks else getattr(body, "body", None)
    if not isinstance(statement.body[-1], (ast.Return, ast.Continue)) or not isinstance(around, list) or statement not in around:
        return []
    return around[around.index(statement) + 1 :]


def _counted(suite: _Suite) -> ast.AugAssign | None:
    """Returns the statement of a suite that counts one, where the suite does nothing else.

    A suite that goes back to the best weights or lowers a rate counts how often it has done so.
    """
    found = None
    for part in suite:
        if found is None and isinstance(part, ast.AugAssign) and isinstance(part.op, (ast.Add, ast.Sub)):
            one = isinstance(part.value, ast.Constant) and part.value.value == 1
            if not one or not isinstance(part.target, (ast.Name, ast.Attribute)):
                return None
            found = part
        elif not _only_tells(part) and not (isinstance(part, ast.If) and found is not None and _tests(part, found.target)):
            return None
    return found


def _only_tells(part: ast.stmt) -> bool:
    if isinstance(part, ast.Expr):
        return isinstance(part.value, ast.Constant) or (isinstance(part.value, ast.Call) and called_name(part.value) in _TELLING)
    return isinstance(part, (ast.Return, ast.Pass, ast.Continue)) or (isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant))


def _tests(part: ast.If, name: ast.expr) -> bool:
    """Tells whether a counter is looked at, and nothing but the end comes of it."""
    return any(ast.unparse(node) == ast.unparse(name) for node in walk(part.test) if isinstance(node, (ast.Name, ast.Attribute))) and all(
        _ends(each) or _only_tells(each) for each in (*part.body, *part.orelse)
    )


def _limits(tree: ast.AST, name: str) -> Iterator[str]:
    """Yields the limits at which a counter ends something: a loop, a function, or by a flag that is set."""
    for node in walk(tree):
        if isinstance(node, ast.While):
            tests, ends = [node.test], True
        elif isinstance(node, ast.Return) and node.value is not None:
            tests, ends = [node.value], True
        elif isinstance(node, ast.If):
            tests, ends = [node.test], any(map(_ends, node.body))
        else:
            continue
        compared = [part for test in tests for part in walk(test) if isinstance(part, ast.Compare) and len(part.ops) == 1]
        for part in compared if ends else ():
            if ast.unparse(part.left) == name and isinstance(part.ops[0], (ast.GtE, ast.Gt, ast.Eq, ast.Lt, ast.LtE)):
                yield ast.unparse(part.comparators[0])


def _ends(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        return isinstance(statement.value, ast.Constant) and statement.value.value is True
    return isinstance(statement, (ast.Break, ast.Return, ast.Raise))


def _is_set_elsewhere(trees: Sequence[ast.AST], body: ast.AST, name: ast.expr, counted: ast.AugAssign) -> bool | None:
    """Tells whether anything but its beginning sets a counter; None where that cannot be told."""
    begun = 0
    for tree in trees:
        for node in walk(tree):
            if isinstance(node, (ast.Global, ast.Nonlocal)) and isinstance(name, ast.Name) and name.id in node.names:
                return None
            same = _same(node, name)
            begun += same and node is not counted.target
    if isinstance(name, ast.Attribute):
        first = [node for tree in trees for node in walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
        made = sum(_same(node, name) for function in first for node in walk(function))
    else:
        made = sum(
            _same(node, name)
            for part, blocks in statements(body)
            if isinstance(part, (ast.Assign, ast.AnnAssign)) and not loops_among(blocks)
            for node in walk(part)
        )
    return begun > made


def _same(node: ast.AST, name: ast.expr) -> bool:
    """Tells whether a node sets a name, or an attribute called like one, whatever it is an attribute of."""
    if isinstance(name, ast.Attribute):
        return isinstance(node, ast.Attribute) and node.attr == name.attr and isinstance(node.ctx, (ast.Store, ast.Del))
    return isinstance(node, ast.Name) and isinstance(name, ast.Name) and node.id == name.id and isinstance(node.ctx, (ast.Store, ast.Del))
