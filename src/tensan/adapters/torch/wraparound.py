"""Tells whether integer arithmetic of a few bits leaves the range of its type: it wraps around in silence, in NumPy and in torch."""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch

from tensan.adapters.torch.bindings import attributes
from tensan.adapters.torch.meant_to_wrap import meant_around
from tensan.core.events.things import typed

#: Values of an array that are computed with.
MOST_VALUES = 1 << 22
#: Part of the values that must wrap: a handful may be rounding at the edge.
LEAST_SHARE = 0.005
#: Different values that differences on a circle must have.
_LEAST_ON_CIRCLE = 8

_OPERATIONS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Pow: "**"}
_SHORT = frozenset({"uint8", "int8", "int16", "uint16"})
#: Methods of arrays that draw nothing, write nothing and run none of the program's code.
_METHODS = frozenset(
    {"astype", "copy", "clone", "reshape", "view", "transpose", "permute", "to", "float", "long", "int", "flatten", "squeeze", "unsqueeze"}
    | {"byte", "short", "detach", "contiguous", "numpy"}
)
#: Functions that only convert.
_CONVERTING = frozenset({"from_numpy", "as_tensor", "asarray", "array", "tensor", "ascontiguousarray"})


class Wrapped(NamedTuple):
    """Arithmetic that left its type's range."""

    text: str
    left: str
    right: str
    dtype: str
    share: float
    exact: int
    became: int


class RefusedError(Exception):
    """An expression that is not computed again, because that might be seen."""


#: That something cannot be computed again is an answer.
CANNOT = (RefusedError, KeyError, IndexError, TypeError, ValueError, RuntimeError, OverflowError)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Computes without a warning, and unheard by the program's own modes."""
    numpy = sys.modules.get("numpy")
    with torch._C.DisableTorchFunction(), numpy.errstate(all="ignore") if numpy is not None else contextlib.nullcontext():
        yield


def is_array(value: Any) -> bool:
    """Tells whether a value is a plain tensor in this process's memory, or an array or a number of NumPy."""
    if type(value) is torch.Tensor:
        return value.device.type == "cpu" and value.layout is torch.strided and not value.is_quantized
    numpy = sys.modules.get("numpy")
    return numpy is not None and (type(value) is numpy.ndarray or isinstance(value, numpy.generic))


def evaluate(node: ast.AST | None, names: Mapping[str, Any], world: Mapping[str, Any]) -> Any:
    """Returns what an expression of names, indices, conversions and arithmetic stands for; raises `RefusedError` for anything else."""
    match node:
        case None:
            return None
        case ast.Constant():
            return node.value
        case ast.Name():
            if node.id not in names and node.id not in world:
                raise RefusedError
            return names[node.id] if node.id in names else world[node.id]
        case ast.Tuple():
            return tuple(evaluate(item, names, world) for item in node.elts)
        case ast.Slice():
            return slice(*(evaluate(part, names, world) for part in (node.lower, node.upper, node.step)))
        case ast.UnaryOp(op=ast.USub()):
            value = evaluate(node.operand, names, world)
            if type(value) not in (int, float):
                raise RefusedError
            return -value
        case ast.BinOp():
            left, right = evaluate(node.left, names, world), evaluate(node.right, names, world)
            return _arithmetic(node.op, left, right)
        case ast.Subscript():
            base = evaluate(node.value, names, world)
            if not is_array(base) and type(base) not in (list, tuple, dict):
                raise RefusedError
            return base[evaluate(node.slice, names, world)]
        case ast.Attribute():
            return _attribute(evaluate(node.value, names, world), node.attr)
        case ast.Call():
            return _called(node, names, world)
    raise RefusedError


def _attribute(owner: Any, name: str) -> Any:
    found = attributes(owner)
    if name not in found:
        raise RefusedError
    return found[name]


def _called(node: ast.Call, names: Mapping[str, Any], world: Mapping[str, Any]) -> Any:
    if not isinstance(node.func, ast.Attribute):
        raise RefusedError
    owner = evaluate(node.func.value, names, world)
    module = owner is torch or owner is sys.modules.get("numpy")
    if not (is_array(owner) and node.func.attr in _METHODS) and not (module and node.func.attr in _CONVERTING):
        raise RefusedError
    arguments = [evaluate(item, names, world) for item in node.args]
    if module and not (arguments and is_array(arguments[0])):
        raise RefusedError
    _within_limits(arguments[0] if module else owner)
    return getattr(owner, node.func.attr)(
        *arguments, **{item.arg: evaluate(item.value, names, world) for item in node.keywords if item.arg}
    )


def _within_limits(value: Any) -> None:
    size = value.numel() if isinstance(value, torch.Tensor) else getattr(value, "size", 0)
    if size > MOST_VALUES:
        raise RefusedError


def _arithmetic(operator: ast.operator, left: Any, right: Any) -> Any:
    for side in (left, right):
        if not is_array(side) and type(side) not in (int, float):
            raise RefusedError
        if is_array(side):
            _within_limits(side)
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div() if is_array(right) or right:
            return left / right
        case ast.FloorDiv() if not is_array(right) and right:
            return left // right
    raise RefusedError


def wrapped(node: ast.BinOp, names: Mapping[str, Any], world: Mapping[str, Any]) -> Wrapped | None:
    """Tells whether an operation is about to leave the range of its integers; None also where that cannot be told."""
    symbol = _OPERATIONS.get(type(node.op))
    if symbol is None:
        return None
    left, right = evaluate(node.left, names, world), evaluate(node.right, names, world)
    arrays = [side for side in (left, right) if is_array(side)]
    if not arrays or any(not is_array(side) and type(side) is not int for side in (left, right)):
        return None
    if any(_dtype(side) not in _SHORT | {"bool"} for side in arrays) or all(_dtype(side) == "bool" for side in arrays):
        return None
    for side in arrays:
        _within_limits(side)
    dtype = _result_dtype(left, right)
    if dtype not in _SHORT or (symbol == "**" and not (type(right) is int and 0 <= right <= 4)):
        return None
    limits = torch.iinfo(getattr(torch, dtype))
    exact = _exact(symbol, left, right)
    outside = (exact < limits.min) | (exact > limits.max)
    share = float(outside.double().mean()) if exact.numel() else 0.0
    if share < LEAST_SHARE:
        return None
    first = int(exact[outside].reshape(-1)[0])
    width = limits.max - limits.min + 1
    if symbol == "-" and len(arrays) == 2 and _on_a_circle(exact, width):
        return None
    return Wrapped(
        text=ast.unparse(node),
        left=_shown(left),
        right=_shown(right),
        dtype=dtype,
        share=share,
        exact=first,
        became=(first - limits.min) % width + limits.min,
    )


def arithmetic_in(node: ast.AST) -> Iterator[ast.BinOp]:
    """Yields the additions, subtractions and products of an expression, innermost first; none that are meant to wrap."""
    if isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)) or meant_around(node):
        return
    for child in ast.iter_child_nodes(node):
        yield from arithmetic_in(child)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
        yield node


def _on_a_circle(exact: Any, width: int) -> bool:
    """Tells whether differences are close together but for whole turns, and far apart with them: counters and angles wrap rightly.

    Two-valued images differ by nothing or by nearly a whole turn as well, so there must be several values.
    """
    if exact.numel() < _LEAST_ON_CIRCLE or int(exact.max() - exact.min()) * 4 < width * 3:
        return False
    unsigned = exact.remainder(width)
    signed = (unsigned + width // 2).remainder(width)
    narrow = any(int(turn.max() - turn.min()) * 4 < width for turn in (unsigned, signed))
    return narrow and len(unsigned.unique()) >= _LEAST_ON_CIRCLE


def _dtype(array: Any) -> str:
    return str(array.dtype).removeprefix("torch.")


def _shown(side: Any) -> str:
    return typed(_dtype(side), tuple(side.shape)) if is_array(side) else repr(side)


def _result_dtype(left: Any, right: Any) -> str:
    if isinstance(left, torch.Tensor) or isinstance(right, torch.Tensor):
        return str(torch.result_type(left, right)).removeprefix("torch.")
    return str(sys.modules["numpy"].result_type(left, right))


def _exact(symbol: str, left: Any, right: Any) -> Any:
    first, second = _wide(left), _wide(right)
    if symbol == "+":
        return torch.as_tensor(first + second)
    if symbol == "-":
        return torch.as_tensor(first - second)
    return torch.as_tensor(first * second if symbol == "*" else first**second)


def _wide(side: Any) -> Any:
    if isinstance(side, torch.Tensor):
        return side.detach().long()
    return torch.from_numpy(sys.modules["numpy"].asarray(side).astype("int64")) if is_array(side) else side
