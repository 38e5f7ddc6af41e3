"""Reads off the source what a program adds up over the batches of a loader, divides by one pass, and sets back for the next one, or not."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tensan.adapters.torch import bindings
from tensan.adapters.torch.metric_objects import metrics_in
from tensan.adapters.torch.statements import users_modules
from tensan.core.events.evaluation import MetricSummed
from tensan.core.sites import Location, Place, Site
from tensan.core.trees import called_name, location, tree_of, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Read a measurement off tensors; a count of samples has none of them.
_MEASURING = frozenset({"item", "sum"})

_Loop = ast.For | ast.While
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module


class Sum(NamedTuple):
    """A name that is added to in a loop over batches.

    Attributes:
        divided: where it is divided by what belongs to one pass; by: the divisor as it is written, empty where an object does that.
        is_reset: whether it begins anew for the next pass.
        anew: where it begins anew with each batch; None where it does not.
    """

    name: str
    added: Location
    divided: Location
    by: str
    is_reset: bool
    anew: Location | None = None


class Sums:
    """The loops over loaders, each read once."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._loops: dict[Site, tuple[Sum, ...]] = {}

    def begun(self, loader: str, site: Place) -> None:
        """A loader began an epoch."""
        recorder = self.recorder
        if not isinstance(site, Site) or not recorder.watch.wants(MetricSummed):
            return
        if site not in self._loops:
            with bindings.scopes() as where:
                self._loops[site] = tuple(sums_and_metrics(site, where))
        for each in self._loops[site]:
            recorder.watch.emit(
                MetricSummed(
                    step=recorder.watch.steps,
                    site=each.added,
                    loader=loader,
                    name=each.name,
                    is_reset=each.is_reset,
                    divided=each.divided,
                    by=each.by,
                    anew=each.anew,
                )
            )


def sums_and_metrics(site: Site, where: Sequence[bindings.Scope]) -> Iterator[Sum]:
    """Yields the sums over the loop that begins to iterate at a place, and the objects that gather a metric over it."""
    path, line = site.key
    tree = tree_of(path)
    found = _loop_at(tree, line) if tree is not None else None
    if found is None:
        return
    inner, outer, function = found
    name = "" if isinstance(function, ast.Module) else function.name
    yield from _sums(path, inner, outer, function, name)
    for each in metrics_in(path, inner, outer or function, where, function=name):
        yield Sum(each.name, each.added, each.asked, "", each.is_reset)


def _sums(path: str, inner: ast.For, outer: _Loop | None, function: _Function, function_name: str) -> Iterator[Sum]:
    added: dict[str, ast.AugAssign] = {}
    for node in walk(inner):
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and _is_measured(node.value):
            added.setdefault(ast.unparse(node.target), node)
    for name, node in added.items():
        is_own = isinstance(node.target, ast.Attribute) and isinstance(node.target.value, ast.Name) and node.target.value.id == "self"
        if not (is_own or isinstance(node.target, ast.Name)):
            continue
        anew = _begun_with_each_batch(name, inner, node)
        around = function if is_own or anew is not None else outer
        division = _division(name, inner, outer, around) if around is not None else None
        if division is not None and around is not None:
            is_reset = _attribute_is_set(node.target.attr) if isinstance(node.target, ast.Attribute) else _is_set(name, around)
            yield Sum(
                name,
                location(path, node, function_name),
                location(path, division, function_name),
                ast.unparse(division.right),
                is_reset,
                location(path, anew, function_name) if anew is not None else None,
            )


def _loop_at(tree: ast.Module, line: int) -> tuple[ast.For, _Loop | None, _Function] | None:
    """Returns the loop whose source begins to be read at a line, the loop around it, and the function around both."""
    waiting: list[tuple[ast.AST, _Loop | None, _Function]] = [(tree, None, tree)]
    while waiting:
        node, outer, function = waiting.pop()
        if isinstance(node, ast.For) and node.iter.lineno <= line <= (node.iter.end_lineno or line):
            return node, outer, function
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            outer, function = None, node
        elif isinstance(node, (ast.For, ast.While)):
            outer = node
        waiting += [(child, outer, function) for child in ast.iter_child_nodes(node)]
    return None


def _is_measured(value: ast.expr) -> bool:
    calls = (called_name(node) for node in walk(value) if isinstance(node, ast.Call))
    return not _MEASURING.isdisjoint(calls)


def _division(name: str, inner: ast.For, outer: _Loop | None, around: ast.AST) -> ast.BinOp | None:
    """Returns where a sum is divided, after the batches, by what belongs to one pass over them."""
    within = set(walk(inner))
    for node in walk(around):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and node not in within:
            summed = any(isinstance(part, (ast.Name, ast.Attribute)) and ast.unparse(part) == name for part in walk(node.left))
            if summed and _is_of_one_pass(node.right, inner, outer, around):
                return node
    return None


def _is_of_one_pass(divisor: ast.expr, inner: ast.For, outer: _Loop | None, around: ast.AST) -> bool:
    """Tells whether a divisor is a length that does not grow, or a count that begins anew for each pass."""
    names = {node.id for node in walk(divisor) if isinstance(node, ast.Name)}
    turns = {node.id for node in walk(outer.target) if isinstance(node, ast.Name)} if isinstance(outer, ast.For) else set[str]()
    grown = {ast.unparse(node.target) for node in walk(around) if isinstance(node, ast.AugAssign)}
    grown |= {ast.unparse(node.func.value) for node in walk(around) if _appends(node)}  # type: ignore[attr-defined]
    if isinstance(divisor, ast.Name):
        counted = any(isinstance(node, ast.AugAssign) and ast.unparse(node.target) == divisor.id for node in walk(inner))
        return counted and _is_set(divisor.id, around)
    lengths = isinstance(divisor, ast.Call) and called_name(divisor) == "len" and isinstance(divisor.func, ast.Name)
    parts = {ast.unparse(node) for node in walk(divisor) if isinstance(node, (ast.Name, ast.Attribute))}
    return lengths and names.isdisjoint(turns) and parts.isdisjoint(grown)


def _begun_with_each_batch(name: str, inner: ast.For, added: ast.AugAssign) -> ast.Assign | None:
    """Returns the statement of a loop's own suite that sets a sum to a constant before each batch is added."""
    for node in inner.body:
        plain = isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.lineno < added.lineno
        if plain and isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets):
            return node
    return None


def _appends(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("append", "extend", "add")


def _is_set(name: str, around: ast.AST) -> bool:
    """Tells whether a name is given a value, other than by adding to it, within a loop or a function."""
    added = {node.target for node in walk(around) if isinstance(node, ast.AugAssign)}
    stores = (node for node in walk(around) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
    return any(node.id == name and node not in added for node in stores)


def _attribute_is_set(name: str) -> bool:
    """Tells whether any function of the program but a constructor may set an attribute of that name."""
    for module in users_modules():
        tree = tree_of(module.__file__) if module.__file__ else None
        if tree is None:
            continue
        once = {part for node in walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "__init__" for part in walk(node)}
        once |= {node.target for node in walk(tree) if isinstance(node, ast.AugAssign)}
        for node in walk(tree):
            sets = isinstance(node, ast.Attribute) and node.attr == name and not isinstance(node.ctx, ast.Load) and node not in once
            everything = isinstance(node, ast.Attribute) and node.attr in ("__dict__", "__init__")
            if sets or everything or (isinstance(node, ast.Constant) and node.value == name):
                return True
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("vars", "setattr"):
                return True
    return False
