"""What the program itself adds to a backward: functions with a backward of their own, hooks, and statements that write gradients."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import torch

from tensan.adapters.torch.by_hand import is_gradient, since_backward
from tensan.adapters.torch.source import in_definition
from tensan.adapters.torch.statements import users_modules
from tensan.core.sites import Location, Site, is_users
from tensan.core.trees import location, tree_of, walk

_HOOKS = frozenset(
    {"register_hook", "register_full_backward_hook", "register_full_backward_pre_hook", "register_post_accumulate_grad_hook"}
)
_WRITES = frozenset({"mul_", "div_", "add_", "sub_", "copy_", "pow_", "sqrt_", "log_"})
#: Nodes of a graph that are looked at.
MOST_NODES = 20_000


def functions(root: Any) -> dict[str, Location]:
    """Returns the program's own `autograd.Function`s in a graph by name, and where their backward divides, or else begins."""
    found: dict[str, Location] = {}
    seen, waiting = {root}, [root] if root is not None else []  # a loss without a graph has no root
    while waiting and len(seen) < MOST_NODES:
        node = waiting.pop()
        kind = getattr(type(node), "_forward_cls", None) if isinstance(node, torch.autograd.function.BackwardCFunction) else None
        backward = getattr(kind, "backward", None)
        if kind is not None and is_users(getattr(getattr(backward, "__code__", None), "co_filename", "<")):
            place = in_definition(backward, _divides) or in_definition(backward, lambda part: isinstance(part, ast.FunctionDef))
            if place is not None:
                found[kind.__name__] = place
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return found


def writes(site: Site | None) -> list[Location]:
    """Returns the statements between the last backward before a step and that step which write to a gradient."""
    return [location(site.code.co_filename, node) for _, part in since_backward(site) for node in walk(part) if site and _writes(node)]


def hooks() -> list[Location]:
    """Returns the places where the program hangs a hook of its own into a backward."""
    return list(_hooks())


def _hooks() -> Iterator[Location]:
    for module in users_modules():
        path = str(module.__file__)
        tree = tree_of(path)
        for node in walk(tree) if tree is not None else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _HOOKS:
                yield location(path, node)


def _divides(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)


def _writes(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        return not isinstance(node.value, ast.Constant) and any(map(is_gradient, node.targets))
    if isinstance(node, ast.AugAssign):
        return is_gradient(node.target)
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _WRITES and is_gradient(node.func.value)
    )
