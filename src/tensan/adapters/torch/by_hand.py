"""Finds what the program does to gradients itself before a step: `p.grad.clamp_(-1, 1)`, a norm and a factor, `p.grad = None`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from tensan.adapters.torch.statements import resolve, statements
from tensan.adapters.torch.variables import scopes
from tensan.core.sites import Location, Site
from tensan.core.trees import body_of, location, tree_of, walk

_BOUNDS = frozenset({"clamp", "clamp_", "clip", "clip_"})
_FACTORS = frozenset({"mul_", "div_"})


def hand_clip(site: Site | None) -> tuple[Location, float] | None:
    """Returns where gradients are cut between the last backward before a scaler's step and that step, and to what bound."""
    for statement, part in since_backward(site):
        found = _cuts(part)
        if found is not None and site is not None:
            limit = _number(_given(found[1], part, statement))
            return (location(site.code.co_filename, found[0], ""), limit) if limit is not None else None
    return None


def hand_clear(site: Site | None) -> Location | None:
    """Returns where gradients are set to nothing between the last backward before a step and that step."""
    for _, part in since_backward(site):
        for node in walk(part):
            cleared: ast.AST | None = None
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is None:
                cleared = next((target for target in node.targets if is_gradient(target)), None)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("zero_", "fill_"):
                cleared = node if is_gradient(node.func.value) else None
            if cleared is not None and site is not None:
                assert isinstance(cleared, ast.expr), cleared
                return location(site.code.co_filename, cleared, "")
    return None


def since_backward(site: Site | None) -> Iterator[tuple[ast.stmt, ast.AST]]:
    """Yields the statements between the last backward before a step and the step, each with itself and with the function it calls."""
    body = body_of(site.code) if site is not None else None
    tree = tree_of(site.code.co_filename) if site is not None else None
    if site is None or body is None or tree is None:
        return
    functions: dict[str, ast.AST] = {node.name: node for node in walk(tree) if isinstance(node, ast.FunctionDef)}
    for statement in _between(body, site.key[1]):
        yield from ((statement, part) for part in _and_called(statement, functions))


def _between(body: ast.AST, line: int) -> Iterator[ast.stmt]:
    """Yields the statements of the step's own suite since the backward in it; none where that cannot be told."""
    found = [(statement, blocks) for statement, blocks in statements(body) if statement.lineno <= line <= (statement.end_lineno or 0)]
    if not found:
        return
    step, around = max(found, key=lambda each: len(each[1]))
    suite = getattr(around[-1][0], around[-1][1]) if around else getattr(body, "body", [])
    before = [statement for statement in suite if statement.lineno < step.lineno]
    backwards = [index for index, statement in enumerate(before) if ".backward(" in ast.unparse(statement)]
    if backwards:
        yield from before[backwards[-1] + 1 :]


def _and_called(statement: ast.stmt, functions: dict[str, ast.AST]) -> Iterator[ast.AST]:
    yield statement
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value.func
        name = called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""
        if name in functions:
            yield functions[name]


def _cuts(part: ast.AST) -> tuple[ast.expr | ast.stmt, ast.expr] | None:
    """Returns what cuts gradients and its bound, where nothing but a look for gradients decides whether it runs."""
    if any(
        isinstance(node, (ast.If, ast.IfExp)) and "grad" not in ast.unparse(node.test) and not _compares_norm(node) for node in walk(part)
    ):
        return None
    for node in walk(part):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _BOUNDS:
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            on_gradient = is_gradient(node.func.value)
            if not on_gradient and given and is_gradient(given[0]):
                on_gradient, given = True, given[1:]
            if on_gradient and given:
                return node, given[-1]
    if not any(isinstance(node, ast.Attribute) and node.attr in ("norm", "vector_norm") for node in walk(part)):
        return None
    for node in walk(part):
        bound = _bound(part)
        if bound is None:
            return None
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _FACTORS
            and is_gradient(node.func.value)
        ):
            return node, bound
        if isinstance(node, ast.AugAssign) and is_gradient(node.target):
            return node, bound
    return None


def _given(bound: ast.expr, part: ast.AST, statement: ast.stmt) -> ast.expr:
    """Returns what a call passes for a function's argument, or its default."""
    if not (isinstance(part, ast.FunctionDef) and isinstance(bound, ast.Name) and isinstance(statement, ast.Expr)):
        return bound
    call = statement.value
    names = [each.arg for each in part.args.args]
    if bound.id not in names or not isinstance(call, ast.Call):
        return bound
    for keyword in call.keywords:
        if keyword.arg == bound.id:
            return keyword.value
    place = names.index(bound.id) - (names[0] == "self" and isinstance(call.func, ast.Attribute))
    if place < len(call.args):
        return call.args[place]
    from_end = len(names) - names.index(bound.id)
    return part.args.defaults[-from_end] if from_end <= len(part.args.defaults) else bound


def _compares_norm(node: ast.If | ast.IfExp) -> bool:
    test = ast.unparse(node.test)
    return ("<" in test or ">" in test) and any(word in test for word in ("norm", "coef", "factor", "scale"))


def _bound(part: ast.AST) -> ast.expr | None:
    """What is divided by the norm is the bound that the norm is brought to."""
    for node in walk(part):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and "norm" in ast.unparse(node.right):
            return node.left
    return None


def is_gradient(node: ast.expr) -> bool:
    """Tells whether an expression is `x.grad` or `x.grad.data`."""
    if isinstance(node, ast.Attribute) and node.attr == "data":
        node = node.value
    return isinstance(node, ast.Attribute) and node.attr == "grad"


def _number(node: ast.expr) -> float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value: Any = _number(node.operand)
    elif isinstance(node, ast.Constant):
        value = node.value
    else:
        value = resolve(node, *scopes())
    return abs(float(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
