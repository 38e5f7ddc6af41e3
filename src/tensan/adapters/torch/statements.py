"""The program's own source as trees: the statements of a function, and what a dotted expression in one of them stands for."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import CodeType, ModuleType
from typing import Any

import torch

from tensan.core.sites import Location, Site, is_users
from tensan.core.trees import body_of, location, tree_of, walk

#: Nothing that the program holds.
UNKNOWN = object()
#: Packages and modules that are not the program's: most of what is loaded is passed over by this.
_foreign: set[str] = set()

Block = ast.AST
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


def statements(body: ast.AST) -> Iterator[tuple[ast.stmt, tuple[tuple[Block, str], ...]]]:
    """Yields a function's own statements, each with the blocks around it: compound statement and the name of its suite."""
    waiting: list[tuple[ast.AST, tuple[tuple[Block, str], ...]]] = [(body, ())]
    while waiting:
        node, chain = waiting.pop()
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            for child in getattr(node, field, None) or () if not isinstance(node, ast.Lambda) else ():
                if isinstance(child, ast.stmt):
                    inner = (*chain, (node, field)) if node is not body else chain
                    yield child, inner
                    if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                        waiting.append((child, inner))
                elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
                    waiting.append((child, (*chain, (node, field))))


def statement_at(code: CodeType, line: int) -> tuple[ast.stmt, tuple[tuple[Block, str], ...]] | None:
    """Returns the innermost statement of a function that stands on a line, with the blocks around it."""
    body = body_of(code)
    on_line = [] if body is None else [each for each in statements(body) if each[0].lineno <= line <= (each[0].end_lineno or 0)]
    return max(on_line, key=lambda each: len(each[1]), default=None)


def loops_at(code: CodeType, line: int) -> list[ast.For | ast.While]:
    """Returns the loops of a function in whose body a line stands, innermost first."""
    found = statement_at(code, line)
    return loops_among(found[1]) if found is not None else []


def loops_among(blocks: Sequence[tuple[Block, str]]) -> list[ast.For | ast.While]:
    """Returns the loops among the blocks around a statement in whose body it stands, innermost first."""
    return [block for block, suite in reversed(blocks) if isinstance(block, (ast.For, ast.While)) and suite == "body"]


def users_trees() -> Iterator[tuple[str, ast.Module]]:
    """Yields the path and the tree of each of the program's own files, its main one first; the main one may be two modules."""
    for path in dict.fromkeys(str(module.__file__) for module in users_modules()):
        tree = tree_of(path)
        if tree is not None:
            yield path, tree


def users_modules() -> list[ModuleType]:
    """Returns the program's own modules, its main one first."""
    found: list[ModuleType] = []
    for name, module in list(sys.modules.items()):
        package, _, below = name.partition(".")
        path = getattr(module, "__file__", None) if isinstance(module, ModuleType) and package not in _foreign else None
        if not isinstance(path, str):
            continue
        if not is_users(path):
            if not below:
                _foreign.add(package)  # what lies in a library is of that library
        elif os.path.isfile(path):  # torch.ops says it is `_ops.py`
            found.insert(0, module) if name == "__main__" else found.append(module)
    return found


def root_name(node: ast.expr) -> str:
    """Returns the name at the left end of a dotted expression, or an empty string."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def resolve(node: ast.expr, *scopes: Mapping[str, Any]) -> Any:
    """Returns what an expression of names, attributes and constant indices stands for, running none of the program's code."""
    if isinstance(node, ast.Name):
        for scope in scopes:
            if node.id in scope:
                return scope[node.id]
        return UNKNOWN
    if isinstance(node, ast.Attribute):
        owner = resolve(node.value, *scopes)
        return UNKNOWN if owner is UNKNOWN else attribute(owner, node.attr)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        owner = resolve(node.value, *scopes)
        if type(owner) in (dict, list, tuple):
            try:
                return owner[node.slice.value]
            except (LookupError, TypeError):
                return UNKNOWN
        if isinstance(owner, torch.nn.Sequential | torch.nn.ModuleList | torch.nn.ModuleDict):
            return owner._modules.get(str(node.slice.value), UNKNOWN)
    return UNKNOWN


def attribute(owner: Any, name: str) -> Any:
    """Returns an attribute that is stored, never one that is computed; `data` and `grad` of a tensor stand for tensors."""
    if isinstance(owner, torch.Tensor):
        if name == "data":
            return owner
        return owner.grad if name == "grad" and owner.is_leaf and owner.grad is not None else UNKNOWN
    if isinstance(owner, torch.nn.Module):
        for store in (owner._parameters, owner._buffers, owner._modules):
            if name in store:
                return store[name]
    try:
        return vars(owner).get(name, UNKNOWN)
    except TypeError:
        return UNKNOWN


def targets_of(blocks: Iterable[tuple[Block, str]]) -> set[str]:
    """Returns the names that the loops among some blocks bind."""
    names = set()
    for block, _ in blocks:
        if isinstance(block, (ast.For, ast.AsyncFor)):
            names |= {node.id for node in walk(block.target) if isinstance(node, ast.Name)}
    return names


def load_at(site: Site | None) -> tuple[str, str, Location | None]:
    """Returns, for a call `target.load_state_dict(online.state_dict())`: `target`, `online`, and the first assignment to `target`."""
    tree = tree_of(site.code.co_filename) if site is not None else None
    if site is None or tree is None:
        return "", "", None
    line = site.key[1]
    for call in walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.lineno <= line <= (call.end_lineno or call.lineno):
            break
    else:
        return "", "", None
    receiver = ast.unparse(call.func.value)
    taken = call.args[0] if call.args else None
    source = ast.unparse(taken.func.value) if isinstance(taken, ast.Call) and isinstance(taken.func, ast.Attribute) else ""
    bindings = (node for node in walk(tree) if isinstance(node, ast.Assign) and receiver in map(ast.unparse, node.targets))
    first = min(bindings, key=lambda node: node.lineno, default=None)
    return receiver, source, location(site.code.co_filename, first, "") if first is not None else None
