"""Reads off the source where a program keeps a model's state under a name, and whether any of its statements reads that name."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensan.adapters.torch.statements import users_modules
from tensan.core.events.state import StateKept
from tensan.core.sites import Site
from tensan.core.trees import bound, called_name, expression_at, tree_of, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Calls that hand on what they are given, or a copy of it.
_COPYING = frozenset({"deepcopy", "copy", "dict", "OrderedDict"})
#: Give all names of a function or a module at once.
_GIVES_NAMES = frozenset({"locals", "globals", "eval", "exec"})

_Kept = tuple[str, bool]


class KeptStates:
    """The lines that take a state, each read once."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._lines: dict[Site, _Kept | None] = {}

    def taken(self, site: Site | None) -> None:
        """`state_dict()` of a module has returned."""
        recorder = self.recorder
        if site is None or not recorder.watch.wants(StateKept):
            return
        if site not in self._lines:
            self._lines[site] = kept_at(site)
        kept = self._lines[site]
        if kept is not None:
            name, is_read = kept
            recorder.watch.emit(StateKept(step=recorder.watch.steps, site=site, name=name, is_read=is_read))


def kept_at(site: Site) -> _Kept | None:
    """Returns the name that keeps the state which is taken at a place, and whether anything reads it; None where no name keeps it."""
    path = site.code.co_filename
    tree, taken = tree_of(path), expression_at(site.resolve())
    around = _around(tree, taken) if tree is not None and taken is not None else None
    if tree is None or taken is None or not around or path.startswith("<"):  # a cell of a notebook: another one may read it
        return None
    statement = next((node for node in reversed(around) if isinstance(node, ast.stmt)), None)
    scope = next(node for node in reversed(around) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)))
    target = _target(statement, taken)
    if isinstance(target, ast.Attribute):
        return ast.unparse(target), _is_read_as_attribute(target.attr)
    if not isinstance(target, ast.Name) or isinstance(scope, ast.ClassDef):
        return None
    outer = {name for node in walk(scope) if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    if target.id in outer or isinstance(scope, ast.Module):
        return target.id, _is_read(tree, target.id) or _is_read_as_attribute(target.id)
    return target.id, _is_read(scope, target.id)


def _around(node: ast.AST, wanted: ast.AST) -> list[ast.AST] | None:
    """Returns the nodes around another one, the outermost first."""
    for child in ast.iter_child_nodes(node):
        if child is wanted:
            return [node]
        inner = _around(child, wanted)
        if inner is not None:
            return [node, *inner]
    return None


def _target(statement: ast.stmt | None, taken: ast.expr) -> ast.expr | None:
    """Returns what an assignment binds to the state, or to a mapping made of it."""
    if isinstance(statement, ast.AnnAssign):
        return statement.target if statement.value is not None and _hands_on(statement.value, taken) else None
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    return next((one for one, other in bound(statement.targets[0], statement.value) if _hands_on(other, taken)), None)


def _hands_on(value: ast.expr, taken: ast.expr) -> bool:
    while isinstance(value, ast.Call) and value is not taken and called_name(value) in _COPYING:
        value = value.args[0] if value.args else value.func.value if isinstance(value.func, ast.Attribute) else taken
    return value is taken or (isinstance(value, (ast.Dict, ast.DictComp)) and any(node is taken for node in walk(value)))


def _is_read(scope: ast.AST, name: str) -> bool:
    """Tells whether a scope reads a name for more than to see whether there is anything."""
    asked = {node.left for node in walk(scope) if isinstance(node, ast.Compare) and _with_none(node)}
    names = (node for node in walk(scope) if isinstance(node, ast.Name) and node not in asked)
    return any(node.id in _GIVES_NAMES or (node.id == name and isinstance(node.ctx, ast.Load)) for node in names)


def _with_none(compared: ast.Compare) -> bool:
    other = compared.comparators[0]
    return isinstance(compared.ops[0], (ast.Is, ast.IsNot)) and isinstance(other, ast.Constant) and other.value is None


def _is_read_as_attribute(name: str) -> bool:
    """Tells whether any module of the program may read an attribute of that name."""
    trees = [tree_of(module.__file__) for module in users_modules() if module.__file__]
    return any(_may_read(node, name) for tree in trees if tree is not None for node in walk(tree))


def _may_read(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in ("__dict__", "asdict") or (node.attr == name and isinstance(node.ctx, ast.Load))
    if isinstance(node, ast.Name):
        return node.id in ("vars", "asdict", "eval", "exec")
    if isinstance(node, ast.alias):
        return node.name in (name, "*")
    return isinstance(node, ast.Constant) and node.value == name
