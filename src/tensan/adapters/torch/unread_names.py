"""Reads in the program's source whether a call's result is bound to names that no statement reads from there on."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from tensan.adapters.torch.discards import ALSO, COPIES, FUNCTIONS, VIEWS
from tensan.adapters.torch.statements import Block, statements
from tensan.core.sites import Site
from tensan.core.trees import body_of, bound, called_name, span_of, walk

Span = tuple[int, int, int, int]

#: Work something out and do nothing else.
_PURE = (COPIES | VIEWS | ALSO | FUNCTIONS) - {"detach"}
#: What a value may pass through on its way to a name.
_THROUGH = ast.Attribute | ast.Subscript | ast.BinOp | ast.UnaryOp | ast.keyword
#: Read names that are not written there.
_READ_ALL = frozenset({"locals", "vars", "eval", "exec", "dir"})
#: Say themselves that nobody is to read them.
_SAY_SO = ("_", "unused", "dummy", "ignore")
_Loop = ast.For | ast.AsyncFor | ast.While
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef


def span_at(site: Site) -> Span | None:
    """Returns where the expression stands that a place is in, as trees count; None where that is not known."""
    line, end_line, column, end_column = list(site.code.co_positions())[site.instruction // 2]
    if line is None or end_line is None or column is None or end_column is None:
        return None
    return line, column, end_line, end_column


def unread_names(site: Site, *, pure: Container[Span]) -> tuple[str, ...]:
    """Returns the names that are given to the result of a call and never read; empty where that is not certain.

    Args:
        site: the call.
        pure: other calls of the same function that do nothing but work something out.
    """
    span, body = span_at(site), body_of(site.code)
    if span is None or not isinstance(body, ast.FunctionDef) or reads_all(body):
        return ()
    for statement, chain in statements(body):
        if statement.lineno > span[0] or (statement.end_lineno or 0) < span[2]:
            continue
        for target, value in assigned(statement):
            if _is_given(value, span, pure):
                names = _names(target)
                said = all(name.startswith(_SAY_SO) for name in names)
                return () if said or any(is_read(body, statement, chain, name) for name in names) else names
    return ()


def assigned(statement: ast.stmt) -> list[tuple[ast.expr, ast.expr]]:
    """Returns what an assignment binds, each with the value that it gets."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return bound(statement.targets[0], statement.value)
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return [(statement.target, statement.value)]
    return []


def _is_given(value: ast.AST, span: Span, pure: Container[Span]) -> bool:
    """Tells whether a value is that of a call, or made of it by what does nothing else."""
    if isinstance(value, ast.Call):
        if span_of(value) == span:
            return True
        if called_name(value) not in _PURE and span_of(value) not in pure:
            return False
    elif not isinstance(value, _THROUGH):
        return False
    return any(_is_given(child, span, pure) for child in ast.iter_child_nodes(value))


def _names(target: ast.expr) -> tuple[str, ...]:
    """Returns the plain names that a target binds; none where it binds anything else."""
    if isinstance(target, ast.Name):
        return (target.id,)
    if not isinstance(target, (ast.Tuple, ast.List)):
        return ()
    parts = [_names(each) for each in target.elts]
    return tuple(name for part in parts for name in part) if all(parts) else ()


def reads_all(body: ast.FunctionDef) -> bool:
    """Tells whether a function may read or bind names otherwise than by writing them."""
    return any((isinstance(node, ast.Name) and node.id in _READ_ALL) or isinstance(node, (ast.Global, ast.Nonlocal)) for node in walk(body))


def _reads(node: ast.AST, name: str) -> Iterator[ast.Name]:
    """Yields where a name is read, changed or unbound by hand."""
    for each in walk(node):
        if isinstance(each, ast.AugAssign):
            each = each.target
        elif not isinstance(each, ast.Name) or isinstance(each.ctx, ast.Store):
            continue
        if isinstance(each, ast.Name) and each.id == name:
            yield each


def is_read(body: ast.FunctionDef, statement: ast.stmt, chain: tuple[tuple[Block, str], ...], name: str) -> bool:
    """Tells whether anything may read what a statement has bound to a name, before another statement surely binds it anew."""
    loops = any(isinstance(block, _Loop) for block, _ in chain)
    if loops and any(_reads(statement, name)):
        return True
    if any(any(_reads(node, name)) for node in walk(body) if isinstance(node, _Function) and node is not body):
        return True  # a function that is called who knows when
    inner: ast.AST = statement
    for block, suite in ((body, "body"), *chain)[::-1]:
        if suite not in ("handlers", "cases"):
            following = getattr(block, suite)
            for each in following[following.index(inner) + 1 :]:
                if any(_reads(each, name)) or isinstance(each, (ast.Continue, ast.Break)):
                    return True
                if isinstance(each, (ast.Return, ast.Raise)) or any(name in _names(target) for target, _ in assigned(each)):
                    return False
        # In a loop what stands before comes after, and an error leads anywhere.
        leads_back = isinstance(block, (_Loop, ast.Try, ast.ExceptHandler))
        if leads_back and any(_reads(block, name)):
            return True
        inner = block
    return False
