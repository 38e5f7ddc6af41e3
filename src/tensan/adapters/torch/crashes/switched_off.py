"""A loss that was computed while gradients were switched off: by the function that computed it, by a block around it, or for good."""

from __future__ import annotations

import ast
import re
from typing import Any

import torch

from tensan.adapters.torch.crashes.expressions import Reader
from tensan.adapters.torch.crashes.frames import Step
from tensan.adapters.torch.crashes.makers import binding_before, function_of_step
from tensan.core.edits import Edit, Repair
from tensan.core.sites import Place, is_users
from tensan.core.trees import body_of, called_name, location, span_of, tree_of, walk

_OFF = re.compile(r"\b(?:no_grad|inference_mode)\b")
#: Names that are followed from one to the next.
_MOST_HOPS = 8

Told = tuple[tuple[tuple[str, Place], ...], tuple[Repair, ...]]


def switched_off(step: Step, node: ast.AST | None) -> Told | None:
    """Returns the place that switched gradients off for what an expression stands for, and how to have them."""
    body = step.body() or ast.Module([], [])
    waiting, seen = [node], set[str]()
    for _ in range(_MOST_HOPS):
        item = waiting.pop(0) if waiting else None
        if item is None:
            break
        for part in walk(item):
            if isinstance(part, ast.Call) and (found := _by_function(step, part)) is not None:
                return found
        for word in (part.id for part in walk(item) if isinstance(part, ast.Name) and part.id not in seen):
            seen.add(word)
            statement = binding_before(body, word, step.line) if isinstance(step.names.get(word), torch.Tensor) else None
            if statement is None:
                continue
            if (around := _block_around(body, statement)) is not None:
                cause = f"`{word}` is computed inside this block, which keeps no graph"
                return ((cause, location(step.path, around, function_of_step(step))),), (
                    Repair(text=f"`{word}` computed outside of the block"),
                )
            waiting.append(getattr(statement, "value", None))
    return None if torch.is_grad_enabled() else _for_good(step)


def _by_function(step: Step, call: ast.Call) -> Told | None:
    function: Any = Reader(step).value(call.func)
    method = getattr(type(function), "forward", None) if isinstance(function, torch.nn.Module) else function
    inner = getattr(method, "__wrapped__", None)
    code = getattr(inner, "__code__", None)
    tree = tree_of(code.co_filename) if code is not None and is_users(code.co_filename) else None
    definition = body_of(code) if tree is not None and code is not None else None
    marks = [item for item in getattr(definition, "decorator_list", ()) if _OFF.search(ast.unparse(item))]
    if not marks or code is None:
        return None
    line, end = marks[0].lineno, (marks[0].end_lineno or marks[0].lineno) + 1
    edit = Edit(path=code.co_filename, line=line, column=1, end_line=end, end_column=1, replacement="")
    words = f"`{code.co_name}` without `@{ast.unparse(marks[0])}`"
    cause = f"`{code.co_name}` keeps no graph: `@{ast.unparse(marks[0])}`"
    return ((cause, location(code.co_filename, marks[0], code.co_name)),), (Repair(text=words, edits=(edit,)),)


def _block_around(body: ast.AST, statement: ast.AST) -> ast.expr | None:
    for node in walk(body):
        if isinstance(node, ast.With) and span_of(node)[:2] < span_of(statement)[:2] and span_of(statement)[2:] <= span_of(node)[2:]:
            off = next((item.context_expr for item in node.items if _OFF.search(ast.unparse(item.context_expr))), None)
            if off is not None:
                return off
    return None


def _for_good(step: Step) -> Told | None:
    calls = [node for node in walk(tree_of(step.path) or ast.Module([], [])) if isinstance(node, ast.Call)]
    off = next((call for call in calls if called_name(call) == "set_grad_enabled" and ast.unparse(call).endswith("(False)")), None)
    place = location(step.path, off) if off is not None else None
    return (("gradients are switched off here, and stay so", place),), (Repair(text="`torch.set_grad_enabled(True)` before the loss"),)
