"""The scopes of a function as trees, the statements of each in the order of their lines, and where one stands."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from types import CodeType

from tensan.adapters.torch.statements import root_name
from tensan.core.sites import Location, function_of
from tensan.core.trees import body_of, location, tree_of, walk


def scopes_around(code: CodeType) -> Iterator[ast.AST]:
    """Yields the function of a code object, then its module."""
    tree, body = tree_of(code.co_filename), body_of(code)
    yield from (scope for scope in dict.fromkeys((body, tree)) if scope is not None)


def functions_of(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yields the functions and methods of a file."""
    return (node for node in walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes of a scope, in no order, without those of functions and classes inside it."""
    waiting: list[ast.AST] = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


def statements_of(scope: ast.AST) -> list[ast.stmt]:
    """Returns the statements of a scope, in the order of their lines; those of functions inside it belong to them."""
    return sorted((node for node in own_nodes(scope) if isinstance(node, ast.stmt)), key=lambda statement: statement.lineno)


def bound_by(statement: ast.stmt) -> set[str]:
    """Returns the names to which a statement gives their value: an assignment, or the head of a loop."""
    match statement:
        case ast.Assign(targets=targets):
            bound: list[ast.expr] = targets
        case ast.AnnAssign(target=target) | ast.For(target=target) | ast.AsyncFor(target=target):
            bound = [target]
        case _:
            return set()
    return {node.id for target in bound for node in walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def own_parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yields what belongs to a statement itself, and not to the statements that hang on it."""
    for _, field in ast.iter_fields(statement):
        for item in field if isinstance(field, list) else [field]:
            if isinstance(item, ast.AST) and not isinstance(item, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                yield from walk(item)


def times_written(nodes: Iterable[ast.AST]) -> Counter[str]:
    """Returns how often some nodes give each name a value; twice for each that writes to what a name holds."""
    written: Counter[str] = Counter()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            written[node.id] += 1
        elif isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            written[root_name(node)] += 2
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            in_place = node.func.attr.endswith("_") and not node.func.attr.endswith("__")
            written[root_name(node.func)] += 2 * in_place
    return written


def place_of(code: CodeType, node: ast.stmt, scope: ast.AST | None = None) -> Location:
    """Returns where a statement stands; the scope gives its function, where that is not the one of the code."""
    return location(code.co_filename, node, getattr(scope, "name", "") if scope is not None else function_of(code))
