"""The edit of the call that built a layer: another width, or a setting that it did not have."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import torch

from tensan.adapters.torch.crashes.failures import Failure
from tensan.adapters.torch.crashes.layers import as_operation, signature_of
from tensan.adapters.torch.crashes.makers import Makers
from tensan.core.edits import Edit, Repair, applied, replacing
from tensan.core.sites import Site
from tensan.core.trees import called_name, location, span_of, tree_of, walk


def resized(makers: Makers, layer: Any, name: str, size: int) -> Repair:
    """Returns the repair that builds a layer with another width."""
    return Repair(text=f"`{name}={size}` for {type(layer).__name__}", edits=_in_constructor(makers, layer, name, size))


def with_setting(makers: Makers, failure: Failure, name: str, value: Any) -> Repair:
    """Returns the repair that gives a layer, or a function that is called, another setting."""
    layer = failure.layer
    if layer is not None:
        edits = _in_constructor(makers, layer, name, value) or _where_bound(makers, failure, name, value)
        return Repair(text=f"`{name}={value}` for {type(layer).__name__}", edits=edits)
    path = makers.steps[failure.user].path
    edits = _in_call(path, failure.call, name, value, None) if isinstance(failure.call, ast.Call) else ()
    return Repair(text=f"`{name}={value}` for {failure.kind}", edits=edits)


def of_settings(failure: Failure, makers: Makers) -> Iterator[tuple[float, Repair, Callable[[], bool]]]:
    """Yields the settings of a layer, other than its widths, with which it would take what it was given: its axes, its padding."""
    layer = failure.layer
    if layer is None:
        return
    changes: list[tuple[float, str, Any]] = []
    if isinstance(getattr(layer, "batch_first", None), bool):
        changes.append((0.95, "batch_first", not layer.batch_first))
    if isinstance(layer, torch.nn.modules.conv._ConvNd) and isinstance(layer.padding, tuple) and not any(layer.padding):
        changes.append((2.1, "padding", max(layer.kernel_size) // 2))
    for cost, name, value in changes:

        def trial(name: str = name, value: Any = value) -> bool:
            return failure.gives(operation=as_operation(layer, **{name: value}))

        yield cost, with_setting(makers, failure, name, value), trial


def _in_constructor(makers: Makers, layer: Any, name: str, value: Any) -> tuple[Edit, ...]:
    """Returns the edit of the call that built a layer; none where that call stands in a loop or cannot be found."""
    built = makers.built(layer)
    if not isinstance(built, Site):
        return ()
    at = built.resolve()
    tree = tree_of(at.path)
    wanted = msgspec.structs.replace(at, function="")
    calls = [node for node in walk(tree) if isinstance(node, ast.Call) and location(at.path, node) == wanted] if tree is not None else []
    return edited(at.path, calls[0], layer, name, value) if len(calls) == 1 else ()


def _where_bound(makers: Makers, failure: Failure, name: str, value: Any) -> tuple[Edit, ...]:
    """Returns the edit of the call that built a layer without parameters, found by the name under which it is called."""
    path, statement, _ = makers.bound(failure.user, failure.call.func if isinstance(failure.call, ast.Call) else None)
    call = getattr(statement, "value", None)
    return edited(path, call, failure.layer, name, value) if isinstance(call, ast.Call) else ()


def edited(path: str, call: ast.Call, layer: Any, name: str, value: Any) -> tuple[Edit, ...]:
    """Returns the edit after which the call that builds a layer gives it a setting; none where that is another call, or runs often."""
    tree = tree_of(path)
    if called_name(call) != type(layer).__name__ or tree is None or _is_repeated(tree, call):
        return ()
    names = [item for item in signature_of(type(layer)).parameters if item != "self"]
    return _in_call(path, call, name, value, names.index(name) if name in names else None)


def _in_call(path: str, call: ast.Call, name: str, value: Any, position: int | None) -> tuple[Edit, ...]:
    """Returns the edit after which a call gives an argument; none where what it gives cannot be told."""
    if any(isinstance(arg, ast.Starred) for arg in call.args) or any(keyword.arg is None for keyword in call.keywords):
        return ()
    for keyword in call.keywords:
        if keyword.arg == name:
            return (replacing(path, keyword.value, str(value)),)
    if position is not None and position < len(call.args):
        return (replacing(path, call.args[position], str(value)),)
    given = [*call.args, *call.keywords]
    if not given:
        return (replacing(path, call, f"{ast.unparse(call.func)}({name}={value})"),)
    at = location(path, max(given, key=lambda node: span_of(node)[2:]))
    edit = Edit(
        path=path, line=at.end_line, column=at.end_column, end_line=at.end_line, end_column=at.end_column, replacement=f", {name}={value}"
    )
    return (edit,) if _parses(applied("".join(linecache.getlines(path)), (edit,))) else ()


def _parses(text: str | None) -> bool:
    try:
        ast.parse(text or "(")
    except SyntaxError:
        return False
    return True


def _is_repeated(tree: ast.AST, call: ast.Call) -> bool:
    repeats = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp)
    return any(
        isinstance(node, repeats) and span_of(node)[:2] <= span_of(call)[:2] and span_of(call)[2:] <= span_of(node)[2:]
        for node in walk(tree)
    )
