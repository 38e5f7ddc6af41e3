"""Notices containers that were given one module several times, as `[layer] * 6` does."""

from __future__ import annotations

import ast
import weakref
from typing import TYPE_CHECKING, Any

from torch import nn

from tensan.core.events.layers import ModuleRepeated
from tensan.core.sites import Location, Place, Site, here
from tensan.core.trees import called_name, location, tree_of, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

_CONTAINERS = (nn.ModuleList, nn.Sequential)


class Repeats:
    """Repetitions that wait for the first backward: only then do the containers matter."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._waiting: dict[int, tuple[weakref.ref[Any], weakref.ref[Any], Place]] = {}

    def registered(self, owner: Any, name: str, child: Any) -> None:
        """A container is about to be given a module."""
        if not isinstance(owner, _CONTAINERS) or id(owner) in self._waiting:
            return
        if any(other is child and other_name != name for other_name, other in owner._modules.items()):
            self._waiting[id(owner)] = weakref.ref(owner), weakref.ref(child), here(3)

    def tell(self) -> None:
        """Tells of those whose module has parameters that are trained."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, {}
        recorder, inventory = self.recorder, self.recorder.inventory
        if not recorder.watch.wants(ModuleRepeated):
            return
        for owner_reference, child_reference, place in waiting.values():
            owner, child = owner_reference(), child_reference()
            if owner is None or child is None:
                continue
            names = tuple(name for name, module in owner._modules.items() if module is child)
            parameters = [tensor for tensor in child.parameters() if tensor.requires_grad]
            if len(names) > 1 and parameters:
                recorder.watch.emit(
                    ModuleRepeated(
                        step=recorder.watch.steps,
                        site=place,
                        container=type(owner).__name__,
                        module=type(child).__name__,
                        names=names,
                        parameters=tuple(inventory.describe(tensor) for tensor in parameters[:16]),
                        made=inventory.known(parameters[0]).made,
                        multiplied=_is_multiplied(place, None if len(names) == len(owner._modules) else type(child).__name__),
                    )
                )


def _is_multiplied(place: Place, kind: str | None) -> bool:
    """Tells whether the statement at a place, or the one that made the list it uses, multiplies a list that makes a module.

    Args:
        place: where the container was filled.
        kind: class that the list must be seen to make, where the container holds other modules as well.
    """
    if not isinstance(place, Site):
        return False
    tree, within = tree_of(place.key[0]), place.resolve()
    used = [node for node in walk(tree) if isinstance(node, ast.expr) and _stands_in(node, within)] if tree is not None else []
    names = {node.id for node in used if isinstance(node, ast.Name)} | {
        ast.unparse(node) for node in used if isinstance(node, ast.Attribute)
    }
    sources: list[ast.AST] = list(used)
    for node in walk(tree) if tree is not None and names else ():
        match node:
            case ast.Assign(targets=[target], value=value) if ast.unparse(target) in names:
                sources.append(value)
            case ast.For(target=ast.Name(id=name), iter=value) | ast.comprehension(target=ast.Name(id=name), iter=value) if name in names:
                sources.append(value)
            case _:
                pass
    return any(_multiplies(node, kind) for source in sources for node in walk(source))


def _stands_in(node: ast.expr, place: Location | None) -> bool:
    if place is None or not place.line <= node.lineno <= place.end_line:
        return False
    own = location(place.path, node, "")
    begins = (place.line, place.column) <= (own.line, own.column)
    return begins and (own.end_line, own.end_column) <= (place.end_line, place.end_column)


def _multiplies(node: ast.AST, kind: str | None) -> bool:
    """Tells whether a node multiplies a list that makes a module."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)):
        return False
    lists = [side for side in (node.left, node.right) if isinstance(side, (ast.List, ast.Tuple))]
    calls = [side.elts[0] for side in lists if len(side.elts) == 1]
    return any(isinstance(call, ast.Call) and kind in (None, called_name(call)) for call in calls)
