"""What a module of the user's would give, as a shape: its forward is read statement by statement, none of it is run."""

from __future__ import annotations

import ast
import inspect
from types import FunctionType
from typing import Any

from torch import nn

from tensan.adapters.torch.crashes.expressions import Reader, binary_of
from tensan.adapters.torch.crashes.frames import Scope
from tensan.adapters.torch.crashes.layers import as_operation, is_torchs
from tensan.adapters.torch.crashes.trials import mapped, quiet, shaped
from tensan.adapters.torch.statements import UNKNOWN
from tensan.core.sites import is_users
from tensan.core.trees import body_of

#: Modules within modules that are read.
MOST_DEEP = 6
#: Rounds of a loop over layers that are read.
MOST_ROUNDS = 64

#: What a statement gives that is not the last one.
_GOES_ON = object()


def given_by(module: nn.Module, args: list[Any], kwargs: dict[str, Any], *, depth: int = 0) -> Any:
    """Returns what a module gives on stand-ins of its arguments, or `UNKNOWN` where that cannot be told without running user code."""
    if is_torchs(module):
        with quiet():
            return as_operation(module)(False)(*mapped(args, shaped), **mapped(kwargs, shaped))
    if module._forward_hooks or module._forward_pre_hooks:
        return UNKNOWN
    return read(type(module).forward, [module, *args], kwargs, depth=depth)


def read(function: Any, args: list[Any], kwargs: dict[str, Any], *, depth: int) -> Any:
    """Returns what a function of the user's returns where it is a plain sequence of statements, `UNKNOWN` where it is more."""
    if depth >= MOST_DEEP or not isinstance(function, FunctionType) or not is_users(function.__code__.co_filename):
        return UNKNOWN
    body = body_of(function.__code__)
    if not isinstance(body, ast.FunctionDef):
        return UNKNOWN
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    result = _follow(body.body, Scope(dict(bound.arguments), function.__globals__, depth=depth + 1))
    return UNKNOWN if result is _GOES_ON else result


def _follow(block: list[ast.stmt], scope: Scope) -> Any:
    """Returns what a block returns, `UNKNOWN` where a statement of it is not understood."""
    reader = Reader(scope)
    for statement in block:
        result: Any = _GOES_ON
        if isinstance(statement, ast.Return):
            result = reader.value(statement.value)
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            result = _bind(statement.targets[0], reader.value(statement.value), scope)
        elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            both = reader.value(statement.target), reader.value(statement.value)
            scope.names[statement.target.id] = reader.computed(binary_of(statement), *both)
        elif isinstance(statement, ast.If):
            test = reader.value(statement.test)
            result = _follow(statement.body if test else statement.orelse, scope) if type(test) is bool else UNKNOWN
        elif isinstance(statement, ast.For) and not statement.orelse:
            result = _repeat(statement, reader.value(statement.iter), scope)
        elif not isinstance(statement, (ast.Expr, ast.Assert, ast.Pass)):
            result = UNKNOWN
        if result is not _GOES_ON:
            return result
    return _GOES_ON


def _repeat(loop: ast.For, items: Any, scope: Scope) -> Any:
    if not isinstance(items, (nn.ModuleList, nn.Sequential, range, list, tuple)) or len(items) > MOST_ROUNDS:
        return UNKNOWN
    for item in items:
        result = _bind(loop.target, item, scope)
        if result is _GOES_ON:
            result = _follow(loop.body, scope)
        if result is not _GOES_ON:
            return result
    return _GOES_ON


def _bind(target: ast.expr, value: Any, scope: Scope) -> Any:
    if isinstance(target, ast.Name):
        scope.names[target.id] = value
        return _GOES_ON
    if not isinstance(target, (ast.Tuple, ast.List)):
        return UNKNOWN  # an attribute or an item: it may be read again
    several = list(value) if isinstance(value, (list, tuple)) and len(value) == len(target.elts) else [UNKNOWN] * len(target.elts)
    results = [_bind(item, each, scope) for item, each in zip(target.elts, several, strict=True)]
    return UNKNOWN if UNKNOWN in results else _GOES_ON
