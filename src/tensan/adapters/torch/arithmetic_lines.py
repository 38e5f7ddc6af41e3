"""Watches the program's own lines while a loader fetches one of its first batches: does integer arithmetic wrap around there?

NumPy tells nobody of its arithmetic. So the first fetches of a dataset are run under a line tracer, which looks, before a statement
runs, at the operands that it names, and computes nothing that the program could notice.
"""

from __future__ import annotations

import ast
import sys
import time
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from tensan.adapters.torch.live import live
from tensan.adapters.torch.meant_to_wrap import meant_names, unheard
from tensan.adapters.torch.statements import statements
from tensan.adapters.torch.wraparound import CANNOT, Wrapped, arithmetic_in, quiet, wrapped
from tensan.core.events.numerics import IntegersWrapped
from tensan.core.sites import Location, is_users
from tensan.core.trees import body_of, location, tree_of, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Fetches of one dataset that are watched.
MOST_FETCHES = 2
#: Calls and lines of one fetch that are heard, and arithmetic that is computed again.
MOST_EVENTS = 30_000
MOST_LOOKS = 64
#: Nanoseconds that hearing of a call or a line takes.
HEARING = 700


class Lines:
    """One fetch under the line tracer.

    Attributes:
        found: the arithmetic that wrapped around, and where.
        spent: nanoseconds that watching took.
        failed: what went wrong with it, for the end of the fetch.
    """

    def __init__(self) -> None:
        self.found: dict[tuple[str, int], tuple[Wrapped, Location]] = {}
        self.failed: Exception | None = None
        self._events = 0
        self._looks = 0
        self._computed = 0

    @property
    def spent(self) -> int:
        return self._computed + self._events * HEARING

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Hears of each call, and of the lines of the program's own functions; what it raised would be raised in the program."""
        try:
            return self if self._hears(frame, event) else None
        except Exception as error:  # noqa: BLE001 - the guest never breaks the host; told when the fetch is over
            self.failed = error
            return None

    def _hears(self, frame: FrameType, event: str) -> bool:
        self._events += 1
        if self._events > MOST_EVENTS or self.failed is not None:
            sys.settrace(None)
            return False
        code = frame.f_code
        if event == "call":
            return is_users(code.co_filename) and bool(arithmetic_of(code))
        found = arithmetic_of(code).get(frame.f_lineno, ()) if event == "line" else ()
        if found and self._looks < MOST_LOOKS and (code.co_filename, frame.f_lineno) not in self.found:
            began = time.perf_counter_ns()
            self._looks += 1
            self._look(frame, found)
            self._computed += time.perf_counter_ns() - began
        return True

    def _look(self, frame: FrameType, found: tuple[ast.BinOp, ...]) -> None:
        path = frame.f_code.co_filename
        for node in found:
            try:
                with quiet():
                    result = wrapped(node, frame.f_locals, frame.f_globals)
            except CANNOT:
                continue
            if result is not None:
                self.found[path, frame.f_lineno] = result, location(path, node, frame.f_code.co_qualname)
                return


@lru_cache(maxsize=512)
def arithmetic_of(code: CodeType) -> dict[int, tuple[ast.BinOp, ...]]:
    """Returns, by the line on which each statement of a function begins, the arithmetic in it that could wrap."""
    body = _lambda_of(code) if code.co_name == "<lambda>" else None if code.co_name.startswith("<") else body_of(code)
    if body is None:
        return {}
    found: dict[int, tuple[ast.BinOp, ...]] = {}
    if isinstance(body, ast.Lambda):
        nodes = tuple(arithmetic_in(body.body))
        return {body.body.lineno: nodes} if nodes else {}
    meant, quiet_lines = meant_names(body), unheard(body)
    for statement, _ in statements(body):
        if statement.lineno in quiet_lines or not meant.isdisjoint(_names_of(statement)):
            continue
        nodes = tuple(_of_statement(statement))
        if nodes:
            found[statement.lineno] = found.get(statement.lineno, ()) + nodes
    return found


def _lambda_of(code: CodeType) -> ast.Lambda | None:
    tree = tree_of(code.co_filename)
    several = [node for node in walk(tree) if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno] if tree else []
    return several[0] if len(several) == 1 else None


def _names_of(statement: ast.stmt) -> Iterator[str]:
    """Yields the names that a statement puts a result into as it is."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target] if isinstance(statement, ast.AugAssign) else []
    yield from (target.id for target in targets if isinstance(target, ast.Name) and _is_bare(statement))


def _is_bare(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.AugAssign) or (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.BinOp))


def _of_statement(statement: ast.stmt) -> Iterator[ast.BinOp]:
    match statement:
        case ast.Assign() if not any(isinstance(target, ast.Subscript) for target in statement.targets):
            yield from arithmetic_in(statement.value)
        case ast.AnnAssign() | ast.Return() | ast.Expr() if statement.value is not None:
            yield from arithmetic_in(statement.value)
        case ast.AugAssign(target=ast.Name() | ast.Attribute()):
            left = ast.parse(ast.unparse(statement.target), mode="eval").body
            yield ast.copy_location(ast.BinOp(left=left, op=statement.op, right=statement.value), statement)
            yield from arithmetic_in(statement.value)


class ArithmeticLines:
    """Which fetches of the watched process are watched line by line."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._fetches: dict[type[Any], int] = {}

    def begin(self, fetcher: Any, begun: list[Lines]) -> None:
        """A batch is about to be fetched in this process: puts a tracer in place, and into the list, where it is to be watched."""
        kind = type(fetcher.dataset)
        if not self.recorder.watch.wants(IntegersWrapped) or self._fetches.get(kind, 0) >= MOST_FETCHES or sys.gettrace() is not None:
            return
        self._fetches[kind] = self._fetches.get(kind, 0) + 1
        begun.append(Lines())
        sys.settrace(begun[0])

    def end(self, lines: Lines) -> None:
        """It has been fetched."""
        if lines.failed is not None:
            raise lines.failed
        self.recorder.watch.budget.charge(lines.spent)
        for result, place in lines.found.values():
            self.recorder.watch.emit(event_of(result, place, step=self.recorder.watch.steps))


def stop(lines: Lines) -> None:
    """Takes a tracer out, unless the program has put another in its place."""
    if sys.gettrace() is lines:
        sys.settrace(None)


_in_worker = [0]


def begin_in_worker(fetcher: Any, begun: list[Lines]) -> None:
    """The same in a worker process, for its first fetch."""
    if live.worker is None or _in_worker[0] or sys.gettrace() is not None:
        return
    _in_worker[0] += 1
    begun.append(Lines())
    sys.settrace(begun[0])


def end_in_worker(lines: Lines) -> None:
    """It has been fetched there: the parent is told."""
    stop(lines)
    if live.worker is not None:
        for result, place in lines.found.values():
            live.worker.watch.send(event_of(result, place, step=0))


def event_of(result: Wrapped, place: Location, *, step: int) -> IntegersWrapped:
    """Returns what is told of arithmetic that wrapped around."""
    return IntegersWrapped(
        step=step,
        made=place,
        text=result.text,
        left=result.left,
        right=result.right,
        dtype=result.dtype,
        share=result.share,
        exact=result.exact,
        became=result.became,
    )
