"""Remembers what models gave for which rows while gradients were off, and knows it again where a loss compares it with a prediction.

Rows are known by their values, so that it does not matter how the program keeps outputs: in a list of batches, joined, or as an array. Only
hashes are remembered.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tensan.adapters.torch.code_scopes import bound_by, scopes_around, statements_of
from tensan.adapters.torch.nested import tensors_in, tensors_of
from tensan.adapters.torch.row_hashes import MOST_OF_TENSOR, order_of, orders_of, rows_of
from tensan.adapters.torch.supervision import is_plain
from tensan.adapters.torch.trace import Trace, key_of
from tensan.adapters.torch.variables import variables
from tensan.core.events.data import StoredOutputsMet
from tensan.core.events.things import Operation
from tensan.core.operations import ELEMENTWISE, LAYOUT, LOSS, POINTWISE
from tensan.core.sites import Location, Place, Site, function_of, here, resolved
from tensan.core.trees import location

if TYPE_CHECKING:
    from types import CodeType

    from tensan.adapters.torch.recorder import Recorder

#: Rows of one model before older ones are let go of.
MOST_ROWS = 20_000
#: Rows that are remembered whatever it costs, of the forwards at one line and of all; for more the budget is asked: nanoseconds for each.
FREE_AT_LINE = 2_048
FREE_ROWS = 8_192
ROW = 5_000
#: Outputs of one forward, losses that are looked at, and tensors that meet in one.
MOST_OUTPUTS = 4
MOST_LOOKS = 32
MOST_MET = 16
MOST_OUT = 256
#: Share of the rows from which on one distance between all of them is an order of its own.
ONE_DISTANCE = 0.5
_PASSING = LAYOUT | POINTWISE | ELEMENTWISE | {"softmax", "log_softmax"}
_OF_ROW = frozenset({"max", "min", "sum", "mean"})


class _Forward(NamedTuple):
    """A forward without gradients: the number of its first row, which batch was there then, and where."""

    begin: int
    deliveries: int
    site: Place


class _Part:
    """Some forwards of one model: numbers of rows by the hash of what was given, and of what came out."""

    def __init__(self) -> None:
        self.size = 0
        self.forwards: list[_Forward] = []
        self.inputs: dict[int, list[int]] = {}
        self.outputs: dict[int, list[int]] = {}
        self.orders: dict[int, list[int]] = {}


class _Memory:
    """What one model gave: the last forwards, and as many before them."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.next = 0
        self.parts = [_Part(), _Part()]

    def add(self, given: Sequence[int], made: Sequence[Sequence[int]], orders: Sequence[int], *, cut: bool, now: _Forward) -> None:
        if self.parts[0].size + len(given) > MOST_ROWS // 2:
            self.parts = [_Part(), self.parts[0]]
        part, begin = self.parts[0], self.next
        part.forwards.append(now._replace(begin=begin))
        for number, row in enumerate(given):
            part.inputs.setdefault(row, []).append(begin + number)
        for rows in made:
            for number, row in enumerate(rows):
                part.outputs.setdefault(row, []).append(begin + number)
        for order in orders:
            part.orders.setdefault(order, []).append(begin)
        part.size += len(given)
        self.next += len(given) + cut

    def given(self, row: int) -> list[int]:
        return [number for part in self.parts for number in part.inputs.get(row, ())]

    def made(self, row: int) -> list[int]:
        return [number for part in self.parts for number in part.outputs.get(row, ())]

    def begins(self, order: int) -> list[int]:
        return [number for part in self.parts for number in part.orders.get(order, ())]

    def forward(self, row: int) -> _Forward | None:
        found = (forward for part in self.parts for forward in reversed(part.forwards) if forward.begin <= row)
        return next(found, None)


class _Waiting(NamedTuple):
    """A forward that runs: the rows that it was given."""

    module: Any
    rows: list[int]
    cut: bool
    site: Place


class _Met(NamedTuple):
    """Outputs that were made earlier or in this step: of how many rows it is known what the model gave for them, and how many are these."""

    memory: _Memory
    forward: _Forward
    known: int
    right: int
    different: int
    shifted: bool


class StoredOutputs:
    """Outputs by model."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.waiting: _Waiting | None = None
        self._memories: dict[str, _Memory] = {}
        self._rows: Counter[tuple[str, int] | None] = Counter()
        self._looks = 0
        #: What has come out since the last loss, by where it lies.
        self._out: set[Any] = set()

    def entered(self, module: Any, inputs: Any) -> None:
        """A model is about to run with gradients off."""
        self.waiting = None
        given = next((item for item in inputs if isinstance(item, torch.Tensor)), None)
        if given is None or not is_plain(given) or self._looks >= MOST_LOOKS or not self.recorder.watch.wants(StoredOutputsMet):
            return
        site = here(3)
        if self._is_paid(site, min(len(given), MOST_OF_TENSOR) if given.dim() else 0):
            rows = rows_of(given)
            self.waiting = _Waiting(module, rows, len(given) > len(rows), site) if rows else None

    def _is_paid(self, site: Place, rows: int) -> bool:
        line = site.key if isinstance(site, Site) else None
        free = self._rows[line] + rows <= FREE_AT_LINE and self._rows.total() + rows <= FREE_ROWS
        if not free and not self.recorder.watch.budget.allows(rows * ROW):
            return False
        self._rows[line] += rows if free else 0
        return True

    def left(self, module: Any, output: Any) -> None:
        """A model has run."""
        waiting, self.waiting = self.waiting, None
        if waiting is None or waiting.module is not module:
            return
        if len(self._out) > MOST_OUT:
            self._out.clear()
        count, made, orders = len(waiting.rows), [], []
        for tensor in list(tensors_in(output, most=2 * MOST_OUTPUTS))[:MOST_OUTPUTS]:
            if is_plain(tensor) and tensor.dim() and min(len(tensor), MOST_OF_TENSOR) == count and tensor.is_floating_point():
                made.append(rows_of(tensor, distinct=0.0))
                self._out.add(key_of(tensor))
                orders += orders_of(tensor)
        if made:
            name = self.recorder.inventory.module_id(module)
            memory = self._memories.setdefault(name, _Memory(name))
            now = _Forward(0, self.recorder.loaders.deliveries, waiting.site)
            memory.add(waiting.rows, made, orders, cut=waiting.cut, now=now)

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded."""
        if not self._memories or self._looks >= MOST_LOOKS:
            return
        tensors = [inputs[0] for inputs in trace.entered if inputs]
        given = [rows for tensor in tensors if (rows := rows_of(tensor))]
        if not given:
            return
        shuffled = self._is_shuffled(tensors)
        found = []
        for tensor, meeting in self._meeting(trace, {len(rows) for rows in given}):
            met = self._best(tensor, [rows for rows in given if len(rows) == len(tensor)])
            # What is computed from the same outputs on the way to the same place is known again as well.
            if met is not None and all(meeting.index != other.index for _, other, _ in found):
                found.append((tensor, meeting, met))
        self._looks += bool(found)
        self._out.clear()
        watch = self.recorder.watch
        for tensor, meeting, met in found:
            name, read = _read(tensor)
            watch.emit(
                StoredOutputsMet(
                    step=watch.steps,
                    site=read or meeting.site,
                    module=met.memory.module,
                    name=name,
                    made=resolved(met.forward.site),
                    compared=meeting.site,
                    num_rows=len(tensor),
                    num_known=met.known,
                    num_right=met.right,
                    num_different=met.different,
                    is_shifted=met.shifted,
                    is_of_this_batch=met.forward.deliveries == self.recorder.loaders.deliveries,
                    is_beside_right=any(
                        other is not tensor and other.shape == tensor.shape and 2 * its.right >= its.known > 0 for other, _, its in found
                    ),
                    is_shuffled=shuffled,
                )
            )

    def _is_shuffled(self, tensors: Sequence[Any]) -> bool:
        """Tells whether a model was given, as it came, what a loader has drawn in random order."""
        sources = [self.recorder.loaders.source_of(tensor) for tensor in tensors]
        return any(source is not None and source.order.kind == "random" for source in sources)

    def _meeting(self, trace: Trace, sizes: set[int]) -> Iterator[tuple[Any, Operation]]:
        """Yields tensors that no gradient flows into, and where each of them, or what is computed from it alone, meets a prediction."""
        places: dict[Any, dict[int, set[int]]] = {}
        tensors: dict[Any, Any] = {}
        for kept in trace.kept:
            operation = trace.operations[kept.index]
            given = [*tensors_of(kept.arguments), *tensors_of(tuple(kept.keywords.values()))]
            for place, (tensor, value) in enumerate(zip(given, operation.inputs, strict=False)):
                if value.requires_grad or value.subject is not None or not value.shape or value.shape[0] not in sizes:
                    continue
                key = key_of(tensor)
                if value.producer >= 0 and key not in self._out:
                    continue  # computed in this step, and no output of a model
                if key in tensors or len(tensors) < MOST_MET:
                    tensors[key] = tensor
                    places.setdefault(key, {}).setdefault(kept.index, set()).add(place)
        for key, tensor in tensors.items():
            meeting = _met_at(trace.operations, places[key], len(tensor))
            if meeting is not None:
                yield tensor, meeting

    def _best(self, tensor: Any, given: Sequence[list[int]]) -> _Met | None:
        """Returns how a tensor was made, of several ways one that is right for the rows that the models of this step were given."""
        found = [met for memory in self._memories.values() for rows in given if (met := _compared(memory, tensor, rows)) is not None]
        return max(found, key=lambda met: met.right / max(met.known, 1), default=None)


def _compared(memory: _Memory, tensor: Any, given: Sequence[int]) -> _Met | None:
    """Compares rows that a model of this step was given with those that outputs were made of, in the order in which they were made."""
    count = len(given)
    rows = rows_of(tensor) if tensor.is_floating_point() else []
    made, different = [memory.made(row) for row in rows], len(set(rows))
    if made and all(made):
        begin = next((begin for begin in made[0] if all(begin + number in each for number, each in enumerate(made))), None)
        if begin is None:
            return None
    else:
        order = order_of(tensor)
        begins = memory.begins(order) if order is not None else []
        if not begins:
            return None
        made, begin = [[first + number for first in begins] for number in range(count)], begins[-1]
        different = count  # in such an order they can be only once
    forward = memory.forward(begin)
    if forward is None or len(made) != count:
        return None
    known = right = 0
    distances: Counter[int] = Counter()
    for number, row in enumerate(given):
        numbers = memory.given(row)
        if numbers:
            known += 1
            right += not set(numbers).isdisjoint(made[number])
            distances.update({each - begin - number for each in numbers})
    # One and the same distance for all is meant, as where what comes next is to be told.
    shifted = max(distances.values(), default=0) > ONE_DISTANCE * known
    return _Met(memory, forward, known, right, different, shifted)


def _met_at(operations: Sequence[Operation], places: dict[int, set[int]], count: int) -> Operation | None:
    """Returns the operation in which a tensor, or what is computed from it value by value, meets a prediction of its own shape."""
    made: set[int] = set()
    for operation in operations[min(places) :]:
        taken = [
            place for place, value in enumerate(operation.inputs) if value.producer in made or place in places.get(operation.index, ())
        ]
        if not taken:
            continue
        if operation.name == "nll_loss":
            if taken == [1] and operation.inputs[0].requires_grad:
                return operation
            continue
        shape = operation.inputs[taken[0]].shape
        others = [value for place, value in enumerate(operation.inputs) if place not in taken]
        if any(value.requires_grad for value in others):
            if operation.name in LOSS | ELEMENTWISE and any(value.requires_grad and value.shape == shape for value in others):
                return operation
        elif _keeps_rows(operation) and operation.outputs and operation.outputs[0].shape[:1] == (count,):
            made.add(operation.index)
    return None


def _keeps_rows(operation: Operation) -> bool:
    """Tells whether each row of a result is computed from the same row of what is given, or is picked in it."""
    arguments = operation.settings.get("arguments")
    chosen = operation.settings.get("aten") == "aten::gather" and isinstance(arguments, tuple) and arguments[:1] != (0,)
    return operation.name in _PASSING or operation.name in _OF_ROW or chosen


def _read(tensor: Any) -> tuple[str, Location | None]:
    """Returns what the program calls a tensor, and the statement that gives it this name."""
    key = key_of(tensor)
    for name, value, frame in variables(4):
        if isinstance(value, torch.Tensor) and (value is tensor or key_of(value) == key):
            place = _bound_at(frame.f_code, name, frame.f_lineno)
            if place is not None:
                return name, place
    return "", None


def _bound_at(code: CodeType, name: str, line: int) -> Location | None:
    """Returns the last statement before a line that gives a name its value: an assignment, or the head of a loop."""
    for scope in scopes_around(code):
        found = [statement for statement in statements_of(scope) if name in bound_by(statement) and statement.lineno <= line]
        if found:
            last = found[-1]
            if not isinstance(last, (ast.For, ast.AsyncFor)):
                return location(code.co_filename, last, function_of(code))
            begin, end = location(code.co_filename, last.target), location(code.co_filename, last.iter)
            return Location(
                path=begin.path,
                line=begin.line,
                column=begin.column,
                end_line=end.end_line,
                end_column=end.end_column,
                function=function_of(code),
            )
    return None
