"""Measures the rows of tables that a model learns from: have all of them the length one, whatever the scales of the columns?"""

from __future__ import annotations

import ast
import weakref
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.code_scopes import place_of, statements_of
from tensan.adapters.torch.supervision import is_plain
from tensan.adapters.torch.variables import variables
from tensan.core.events.data import RowsMeasured
from tensan.core.sites import Place, here
from tensan.core.trees import called_name, tree_of, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Batches of a model that are measured, rows of each, and how many columns a table has; of fewer, rows may be directions or rotations.
MOST_BATCHES = 4
MOST_ROWS = 512
LEAST_ROWS = 4
COLUMNS = 5, 64
#: How far from one a length may be for rounding.
ROUNDING = 1e-4

_LENGTHS = frozenset({"norm", "vector_norm"})
#: How the axis along a row is written, where a sample is not taken alone.
_ALONG_ROWS = frozenset({"1", "-1"})


class RowLengths:
    """The first batches that each model is given to learn from."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._seen: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def given(self, module: Any, inputs: Any) -> None:
        """A model is about to run."""
        seen = self._seen.get(module, 0)
        if seen >= MOST_BATCHES or not self.recorder.watch.wants(RowsMeasured):
            return
        self._seen[module] = seen + 1
        table: Any = next((item for item in inputs if isinstance(item, torch.Tensor)), None) if isinstance(inputs, tuple) else None
        if not _is_table(table):
            return
        rows = table.detach()[:MOST_ROWS].double()
        lengths = rows.square().sum(1).sqrt()
        unit = bool(((lengths - 1).abs() < ROUNDING).all())
        self.recorder.watch.emit(
            RowsMeasured(
                step=self.recorder.watch.steps,
                site=here(3),
                module=self.recorder.inventory.module_id(module),
                num_rows=len(rows),
                unit=unit,
                scales=tuple(rows.square().mean(0).sqrt().tolist()) if unit else (),
                zeros=float((rows == 0).double().mean()),
                made=_made() if unit else None,
            )
        )


def _is_table(given: Any) -> bool:
    if not is_plain(given) or given.dim() != 2 or not given.is_floating_point() or given.requires_grad:
        return False
    return len(given) >= LEAST_ROWS and COLUMNS[0] <= given.shape[1] <= COLUMNS[1]


def _made() -> Place:
    """Returns the statement of the program that brings rows to the length one, outside of models."""
    looked: set[str] = set()
    for _, _, frame in variables(3):
        code = frame.f_code
        tree = tree_of(code.co_filename) if code.co_filename not in looked else None
        looked.add(code.co_filename)
        for scope in _scopes(tree) if tree is not None else ():
            for statement in statements_of(scope):
                if not hasattr(statement, "body") and _brings_to_one(statement, alone=getattr(scope, "name", "") == "__getitem__"):
                    return place_of(code, statement, scope)
    return None


def _scopes(tree: ast.Module) -> list[ast.AST]:
    """Returns the module and its functions, but for the methods of models."""
    models = {
        method
        for node in walk(tree)
        if isinstance(node, ast.ClassDef) and any(isinstance(part, ast.FunctionDef) and part.name == "forward" for part in node.body)
        for method in walk(node)
    }
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [tree, *(node for node in walk(tree) if isinstance(node, functions) and node not in models)]


def _brings_to_one(statement: ast.stmt, *, alone: bool) -> bool:
    """Tells whether a statement divides rows by their lengths; alone: whether it sees one row at a time."""
    for node in walk(statement):
        if isinstance(node, ast.Call) and called_name(node) in ("normalize", "Normalizer"):
            if alone or _axis(node) in {None, *_ALONG_ROWS}:
                return True
        elif isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
            divisor = node.right if isinstance(node, ast.BinOp) else node.value
            calls = [part for part in walk(divisor) if isinstance(part, ast.Call) and called_name(part) in _LENGTHS]
            if any(alone or _axis(call) in _ALONG_ROWS for call in calls):
                return True
    return False


def _axis(call: ast.Call) -> str | None:
    """Returns the axis that a call names by keyword, as it is written."""
    return next((ast.unparse(each.value) for each in call.keywords if each.arg in ("dim", "axis")), None)
