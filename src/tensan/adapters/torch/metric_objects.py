"""Reads off the source which objects gather a metric over the batches of a loader, and whether they are set back for the next pass.

Such an object is known by what it can do: it takes batches in (`update`), says the metric (`compute`) and begins anew (`reset`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tensan.adapters.torch import bindings
from tensan.adapters.torch.source import in_definition
from tensan.adapters.torch.statements import users_modules
from tensan.core.sites import Location
from tensan.core.trees import called_name, location, tree_of, walk

_ABLE = ("update", "compute", "reset")


class Gathered(NamedTuple):
    """An object that gathers: how the program calls it, where it takes a batch in, where it is asked, and whether it is set back."""

    name: str
    added: Location
    asked: Location
    is_reset: bool


def metrics_in(path: str, inner: ast.For, around: ast.AST, where: Sequence[bindings.Scope], *, function: str) -> Iterator[Gathered]:
    """Yields the objects that gather in a loop over batches and are asked after it.

    Args:
        path: of the file.
        inner: the loop over batches.
        around: what is gone through once for each pass: the loop around that one, or else the function.
        where: the names of the running frames.
        function: name of the function, for the places.
    """
    within = set(walk(inner))
    updates = {_receiver(node): node for node in within if _calls(node, "update")}
    for name, update in updates.items():
        asked = next((node for node in walk(around) if node not in within and _calls(node, "compute") and _receiver(node) == name), None)
        thing = _thing(name, where)
        if asked is not None and all(callable(getattr(type(thing), able, None)) for able in _ABLE):
            yield Gathered(
                name, location(path, update, function), location(path, asked, function), _is_set_back(name, thing, updates, around)
            )


def _calls(node: ast.AST, method: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method


def _receiver(node: ast.AST) -> str:
    return ast.unparse(node.func.value) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def _thing(name: str, where: Sequence[bindings.Scope]) -> Any:
    """Returns what a name, or an attribute of one, stands for in the frame that began the loop."""
    if not where:
        return None
    first, *rest = name.split(".")
    value = where[0].names.get(first, where[0].world.get(first))
    for key in rest:
        value = bindings.attributes(value).get(key)
    return value


def _is_set_back(name: str, thing: Any, updates: dict[str, ast.AST], around: ast.AST) -> bool:
    """Tells whether the program may begin anew with it: it calls `reset` on it or on what may be it, makes another, or reading it does."""
    trees = [tree for module in users_modules() if module.__file__ and (tree := tree_of(module.__file__)) is not None]
    for block, node in (each for tree in trees for each in _later(tree, None, around)):
        # What another object of the same loop is called is not this one.
        if _calls(node, "reset") and (_receiver(node) == name or _receiver(node) not in updates):
            return True
        if block is not None and isinstance(node, (ast.Assign, ast.AnnAssign)) and _gives(node, name.rpartition(".")[2]):
            return True
    return in_definition(type(thing).compute, _begins_anew) is not None


def _later(node: ast.AST, block: ast.AST | None, around: ast.AST) -> Iterator[tuple[ast.AST | None, ast.AST]]:
    """Yields what may run between two passes, constructors left out, with the loop or function around it that runs again for each."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef) and child.name == "__init__":
            continue
        yield block, child
        again = isinstance(child, (ast.For, ast.While, ast.FunctionDef)) and (child is around or around not in walk(child))
        yield from _later(child, child if again else block, around)


def _begins_anew(node: ast.AST) -> bool:
    stores = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    return stores or (isinstance(node, ast.Call) and called_name(node) in ("reset", "clear", "zero_", "fill_"))


def _gives(node: ast.Assign | ast.AnnAssign, last: str) -> bool:
    """Tells whether an assignment gives something a name, or an attribute of that name."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    parts = (part for target in targets for part in walk(target))
    return any(
        (isinstance(part, ast.Name) and part.id == last) or (isinstance(part, ast.Attribute) and part.attr == last) for part in parts
    )
