"""Finds learning rates that the program wrote where no optimizer reads them, such as `optimizer.lr = 0.01`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tensan.adapters.torch.statements import UNKNOWN, resolve, root_name, users_modules
from tensan.adapters.torch.variables import scopes
from tensan.core.events.training import StrayRate
from tensan.core.sites import Location
from tensan.core.trees import location, tree_of, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder

#: What programs call a learning rate.
RATE_NAMES = ("lr", "learning_rate", "lrate", "LR", "rate")


class StrayRates:
    """Where each of them was written, found once."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._places: dict[tuple[str, str], Location | None] = {}

    def of(self, record: OptimizerRecord) -> Iterator[StrayRate]:
        """Yields those of one of torch's own optimizers; an optimizer of the program's own may read what it likes."""
        optimizer = record.reference()
        if optimizer is None or not type(optimizer).__module__.startswith("torch.optim"):
            return
        stray: list[tuple[str, str, Any]] = [("attribute", name, vars(optimizer)[name]) for name in RATE_NAMES if name in vars(optimizer)]
        stray += [("group", name, group[name]) for group in optimizer.param_groups for name in RATE_NAMES[1:] if name in group]
        if optimizer.defaults.get("lr") != record.first_default:
            stray.append(("defaults", "lr", optimizer.defaults.get("lr")))
        for kind, name, value in stray:
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                key = record.id, f"{kind} {name}"
                if key not in self._places:
                    self._places[key] = _statement(optimizer, kind, name)
                yield StrayRate(
                    step=self.recorder.watch.steps,
                    site=self._places[key] or record.made,
                    optimizer=record.event(),
                    kind=kind,
                    name=name,
                    value=float(value),
                )


def _statement(optimizer: Any, kind: str, name: str) -> Location | None:
    """Returns the assignment: the first whose left side is known to be this optimizer's, or else one that looks like it."""
    running = list(scopes())
    likely = None
    for module in users_modules():
        path = str(module.__file__)
        tree = tree_of(path)
        for node in walk(tree) if tree is not None else ():
            targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
            for target in targets:
                base = _base(target, kind, name)
                if base is None:
                    continue
                found = resolve(base, *running, vars(module))
                if found is optimizer:
                    return location(path, target, "")
                looks_like_it = "opt" in ast.unparse(base).rpartition(".")[2].lower()
                if found is UNKNOWN and (looks_like_it or kind == "group") and likely is None:
                    likely = location(path, target, "")
    return likely


def _base(target: ast.expr, kind: str, name: str) -> ast.expr | None:
    """Returns the expression that stands for the optimizer in the left side of an assignment, or None where that is another."""
    if kind == "attribute":
        return target.value if isinstance(target, ast.Attribute) and target.attr == name else None
    if not (isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant) and target.slice.value == name):
        return None
    owner = target.value
    if kind == "defaults":
        return owner.value if isinstance(owner, ast.Attribute) and owner.attr == "defaults" else None
    return owner if root_name(owner) else None
