"""Counts batches that hold NaN and end without a backward, because the program leaves out a loss that is not finite."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch import finite
from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.seeding import places_above
from tensan.adapters.torch.supervision import is_plain
from tensan.core.events.numerics import BatchesSkipped
from tensan.core.sites import Location, Place, Site, function_of, here
from tensan.core.trees import body_of, called_name, location, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Batches that are looked at, tensors and values of each, and columns that are told.
MOST_LOOKS = 64
MOST_TENSORS = 8
MOST_VALUES = 1 << 22
MOST_COLUMNS = 8

_ASKS = frozenset({"isnan", "isfinite", "isinf"})
_LEARNS = frozenset({"backward", "step"})
_SAYS = frozenset({"print", "warn", "warning", "info", "error", "debug", "log", "write", "append", "add_scalar"})


class _Batch:
    """A batch that a model was given, until it is known whether it is learned from."""

    def __init__(self, site: Site | None, columns: set[int], *, broken: bool) -> None:
        self.site, self.columns, self.broken = site, columns, broken
        self.answer_broken = False


class _Tally:
    """What became of the batches of one line."""

    def __init__(self) -> None:
        self.learned = self.skipped = 0
        self.columns: set[int] = set()
        self.skipped_at: Place = None
        self.silent = False
        self.sought = False


class SkippedBatches:
    """The batches that models in train mode are given with gradients on."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.waiting: weakref.WeakKeyDictionary[Any, _Batch] = weakref.WeakKeyDictionary()
        self._tallies: dict[Site, _Tally] = {}
        self._looks = 0

    def entered(self, module: Any, inputs: Any) -> None:
        """A model is about to run; what it was given before was left out, if no backward has come since."""
        before = self.waiting.pop(module, None)
        if self._looks >= MOST_LOOKS or not module.training or not self.recorder.watch.wants(BatchesSkipped):
            return
        if next(module.parameters(), None) is None:
            return  # a loss
        if before is not None and before.site is not None and before.broken and before.answer_broken:
            tally = self._tallies.setdefault(before.site, _Tally())
            tally.skipped += 1
            tally.columns |= before.columns
            if not tally.sought:
                tally.sought = True
                tally.skipped_at, tally.silent = _leaving_out(places_above())
        self._looks += 1
        broken, columns = _broken(inputs)
        self.waiting[module] = _Batch(here(3), columns, broken=broken)

    def left(self, module: Any, output: Any) -> None:
        """A model has answered."""
        batch = self.waiting.get(module)
        if batch is not None and batch.broken:
            batch.answer_broken = _broken(output)[0]

    def differentiated(self) -> None:
        """A backward begins: what waits is learned from."""
        for batch in self.waiting.values():
            if batch.site is not None:
                self._tallies.setdefault(batch.site, _Tally()).learned += 1
        self.waiting.clear()

    def finish(self) -> None:
        """The run is over."""
        for site, tally in self._tallies.items():
            self.recorder.watch.emit(
                BatchesSkipped(
                    step=self.recorder.watch.steps,
                    site=site,
                    num_skipped=tally.skipped,
                    num_learned=tally.learned,
                    columns=tuple(sorted(tally.columns)[:MOST_COLUMNS]),
                    skipped_at=tally.skipped_at,
                    silent=tally.silent,
                )
            )


def _broken(given: Any) -> tuple[bool, set[int]]:
    """Tells whether there is NaN among some tensors, and in which columns of a table."""
    found, columns = False, set[int]()
    for tensor in finite.broken(each for each in tensors_in(given, most=MOST_TENSORS) if is_plain(each) and each.numel() <= MOST_VALUES):
        if not tensor.is_floating_point():
            continue
        lost = torch.isnan(tensor.detach())
        if bool(lost.any()):
            found = True
            columns |= set(lost.any(0).nonzero().reshape(-1).tolist()) if tensor.dim() == 2 else set()
    return found, columns


def _leaving_out(places: Iterable[Site]) -> tuple[Place, bool]:
    """Returns the statement that leaves out what is not finite, in one of the functions that are running, and whether it says nothing."""
    for place in places:
        body = body_of(place.code)
        asked = _names_of_answers(body) if body is not None else set()
        for node in walk(body) if body is not None else ():
            if isinstance(node, ast.If) and _asks(node.test, asked) and _skips(node):
                return _head(location(place.code.co_filename, node, function_of(place.code)), node), not _says(node)
    return None, False


def _head(whole: Location, node: ast.If) -> Location:
    """Returns where the condition of a statement stands, without what hangs on it."""
    test = location(whole.path, node.test, whole.function)
    return Location(
        path=whole.path,
        line=whole.line,
        column=whole.column,
        end_line=test.end_line,
        end_column=test.end_column,
        function=whole.function,
    )


def _names_of_answers(body: ast.AST) -> set[str]:
    """Returns the names that hold whether something is finite."""
    assigned = (node for node in walk(body) if isinstance(node, ast.Assign) and _asks(node.value, set()))
    return {target.id for node in assigned for target in node.targets if isinstance(target, ast.Name)}


def _asks(test: ast.AST, names: set[str]) -> bool:
    """Tells whether a condition asks whether something is finite: by a call, by a name, or by `loss != loss`."""
    for node in walk(test):
        if (isinstance(node, ast.Call) and called_name(node) in _ASKS) or (isinstance(node, ast.Name) and node.id in names):
            return True
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            return ast.unparse(node.left) == ast.unparse(node.comparators[0])
    return False


def _skips(node: ast.If) -> bool:
    """Tells whether a branch goes on without learning: it continues or returns, or the other one alone learns."""
    if any(isinstance(part, (ast.Continue, ast.Return)) for part in node.body):
        return True
    return not node.orelse and any(called_name(call) in _LEARNS for call in _calls(node.body))


def _says(node: ast.If) -> bool:
    """Tells whether the program takes note of what it leaves out: by a message, or by a count."""
    learns = any(called_name(call) in _LEARNS for call in _calls(node.body))
    branch = node.orelse if learns else node.body
    counts = any(isinstance(part, ast.AugAssign) for statement in branch for part in walk(statement))
    return counts or any(called_name(call) in _SAYS for call in _calls(branch))


def _calls(statements: Iterable[ast.stmt]) -> Iterator[ast.Call]:
    return (part for statement in statements for part in walk(statement) if isinstance(part, ast.Call))
