"""Finds optimizers whose groups were given rates of their own, and where one rate is written into all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tensan.adapters.torch.statements import UNKNOWN, resolve, users_modules
from tensan.adapters.torch.variables import scopes
from tensan.core.events.training import GroupRates
from tensan.core.sites import Location
from tensan.core.trees import location, tree_of, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder


class RatesOfGroups:
    """What the groups of each optimizer were built with; where they are overwritten is found once."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._built: dict[str, tuple[tuple[float, ...], tuple[int, ...]]] = {}
        self._places: dict[str, Location | None] = {}

    def built(self, record: OptimizerRecord) -> None:
        """An optimizer was built, or given another group; who gives it one later changes the plan."""
        rates = record.rates()
        if not record.steps and len(set(rates)) > 1:
            self._built[record.id] = rates, _groups(record)
        else:
            self._built.pop(record.id, None)

    def stepping(self, record: OptimizerRecord) -> None:
        """An optimizer is about to step."""
        rates, groups = self._built.get(record.id, ((), ()))
        if not rates or groups != _groups(record):
            return  # a state that is loaded brings groups, and rates, of its own
        now = record.rates()
        if len(set(now)) == 1 and record.id not in self._places:
            self._places[record.id] = _statement(record.reference())
        self.recorder.watch.emit(
            GroupRates(step=self.recorder.watch.steps, site=self._places.get(record.id), optimizer=record.event(), built=rates, rates=now)
        )


def _groups(record: OptimizerRecord) -> tuple[int, ...]:
    return tuple(map(id, getattr(record.reference(), "param_groups", ())))


def _statement(optimizer: Any) -> Location | None:
    """Returns the one assignment that gives every group of an optimizer the same rate; None where some assignment tells groups apart."""
    running = list(scopes())
    found: dict[Location, bool] = {}  # one file may be two modules
    for module in users_modules():
        path = str(module.__file__)
        tree = tree_of(path)
        for loop in walk(tree) if tree is not None else ():
            if not isinstance(loop, ast.For) or "param_groups" not in ast.unparse(loop.iter):
                continue
            for statement, target in _assignments(loop):
                names = {node.id for node in walk(loop.target) if isinstance(node, ast.Name)}
                if isinstance(statement, ast.AugAssign) or names & _names(statement.value, loop):
                    return None
                owners = [resolve(node.value, *running, vars(module)) for node in walk(loop.iter) if isinstance(node, ast.Attribute)]
                if all(owner is UNKNOWN or owner is optimizer for owner in owners):
                    place = location(path, target, "")
                    found[place] = found.get(place, False) or any(owner is optimizer for owner in owners)
    known = [place for place, is_known in found.items() if is_known] or list(found)
    return known[0] if len(known) == 1 else None


def _assignments(loop: ast.For) -> Iterator[tuple[ast.Assign | ast.AugAssign, ast.expr]]:
    """Yields the assignments in a loop that write the rate of a group that the loop names."""
    names = {node.id for node in walk(loop.target) if isinstance(node, ast.Name)}
    for node in walk(loop):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        for target in targets:
            if (
                isinstance(target, ast.Subscript)
                and isinstance(target.value, ast.Name)
                and target.value.id in names
                and isinstance(target.slice, ast.Constant)
                and target.slice.value == "lr"
            ):
                assert isinstance(node, (ast.Assign, ast.AugAssign))
                yield node, target


def _names(value: ast.expr, loop: ast.For) -> set[str]:
    """Returns the names that a value is made of, those behind names that the loop itself assigns included."""
    names = {node.id for node in walk(value) if isinstance(node, ast.Name)}
    for node in walk(loop):
        if isinstance(node, ast.Assign) and any(isinstance(part, ast.Name) and part.id in names for part in node.targets):
            names |= {part.id for part in walk(node.value) if isinstance(part, ast.Name)}
    return names
