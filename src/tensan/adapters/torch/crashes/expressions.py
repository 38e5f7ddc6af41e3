"""What an expression of the user's stands for, found without running any of the user's code."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

import torch

from tensan.adapters.torch.crashes.frames import Scope
from tensan.adapters.torch.crashes.trials import mapped, quiet, shaped, tensors_in
from tensan.adapters.torch.statements import UNKNOWN

_BINARY: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
}
_COMPARED: dict[type, Callable[..., Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_UNARY: dict[type, Callable[..., Any]] = {ast.USub: operator.neg, ast.Invert: operator.invert, ast.Not: operator.not_}
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**"}
_BUILTINS = {
    name: getattr(builtins, name) for name in ("len", "int", "float", "max", "min", "list", "tuple", "range", "abs", "bool", "sum")
}
#: Attributes of a tensor that are computed without running the user's code.
_OF_TENSOR = frozenset(["shape", "ndim", "dtype", "device", "T", "mT", "H", "is_cuda", "requires_grad", "data", "real"])
#: Never called again: they act on the outside, or draw.
_ACTS = frozenset(
    [
        "backward",
        "numpy",
        "item",
        "tolist",
        "cuda",
        "share_memory_",
        "register_hook",
        "retain_grad",
        "set_",
        "copy_",
        "save",
        "load",
        "manual_seed",
        "cpu",
    ]
)


class Reader:
    """Evaluates expressions in the scope of one frame."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def value(self, node: ast.AST | None) -> Any:
        """Returns what a node stands for; a tensor of the program where it is a name, a mere shape where it is computed."""
        if node is None:
            return UNKNOWN
        try:
            return self._value(node)
        except Exception:  # noqa: BLE001 - whatever the program has there is not ours to understand
            return UNKNOWN

    def _value(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            try:
                return self.scope.lookup(node.id)
            except KeyError:
                return _BUILTINS.get(node.id, UNKNOWN)
        if isinstance(node, (ast.Tuple, ast.List)):
            items = [self._value(item) for item in node.elts]
            return UNKNOWN if any(item is UNKNOWN for item in items) else tuple(items) if isinstance(node, ast.Tuple) else items
        if isinstance(node, ast.Attribute):
            return self._attribute(self._value(node.value), node.attr)
        if isinstance(node, ast.Subscript):
            return self._item(self._value(node.value), self._index(node.slice))
        if isinstance(node, ast.BinOp):
            return self.computed(_BINARY[type(node.op)], self._value(node.left), self._value(node.right))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = self._value(node.left), self._value(node.comparators[0])
            if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
                return UNKNOWN if UNKNOWN in (left, right) else (left is right) is isinstance(node.ops[0], ast.Is)
            return self.computed(_COMPARED[type(node.ops[0])], left, right)
        if isinstance(node, ast.UnaryOp):
            return self.computed(_UNARY[type(node.op)], self._value(node.operand))
        if isinstance(node, ast.Call):
            return self._called(node)
        return UNKNOWN

    def _attribute(self, owner: Any, name: str) -> Any:
        if owner is UNKNOWN:
            return UNKNOWN
        if isinstance(owner, torch.Tensor):
            return getattr(owner, name) if name in _OF_TENSOR else UNKNOWN
        if isinstance(owner, torch.nn.Module):
            for store in (owner._parameters, owner._buffers, owner._modules):
                if name in store:
                    return store[name]
            return vars(owner).get(name, UNKNOWN)
        if isinstance(owner, (torch.Size, torch.device)):
            return UNKNOWN
        return vars(owner).get(name, UNKNOWN) if hasattr(owner, "__dict__") else UNKNOWN

    def _index(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Slice):
            parts = [None if part is None else self._value(part) for part in (node.lower, node.upper, node.step)]
            return UNKNOWN if any(part is UNKNOWN for part in parts) else slice(*parts)
        if isinstance(node, ast.Tuple):
            parts = [self._index(item) for item in node.elts]
            return UNKNOWN if any(part is UNKNOWN for part in parts) else tuple(parts)
        return self._value(node)

    def _item(self, owner: Any, index: Any) -> Any:
        if owner is UNKNOWN or index is UNKNOWN:
            return UNKNOWN
        if isinstance(owner, torch.Tensor):
            return self.computed(operator.getitem, owner, index)
        if isinstance(owner, (torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict)):
            keys = list(owner._modules)
            return owner._modules[keys[index] if isinstance(index, int) else index]
        return owner[index] if isinstance(owner, (list, tuple, dict, torch.Size)) else UNKNOWN

    def _called(self, node: ast.Call) -> Any:
        called = self.call(node)
        if called is None:
            return UNKNOWN
        function, args, kwargs = called
        from tensan.adapters.torch.crashes import forwards  # which reads expressions

        depth = self.scope.depth
        if isinstance(function, torch.nn.Module):
            return forwards.given_by(function, args, kwargs, depth=depth)
        if isinstance(function, MethodType):
            return forwards.read(function.__func__, [function.__self__, *args], kwargs, depth=depth)
        return self.computed(function, *args, **kwargs)

    def call(self, node: ast.Call) -> tuple[Any, list[Any], dict[str, Any]] | None:
        """Returns the function and the arguments of a call, or None where they cannot be told or the call does more than compute."""
        try:
            args = [item for arg in node.args for item in self._argument(arg)]
            kwargs = {keyword.arg: self._value(keyword.value) for keyword in node.keywords if keyword.arg is not None}
            if any(item is UNKNOWN for item in (*args, *kwargs.values())):
                return None
            if isinstance(node.func, ast.Attribute):
                owner = self._value(node.func.value)
                if isinstance(owner, torch.Tensor):
                    name = node.func.attr
                    if name in _ACTS or not hasattr(torch.Tensor, name):
                        return None
                    return _method(name), [owner, *args], kwargs
                if isinstance(owner, torch.nn.Module) and isinstance(method := getattr(type(owner), node.func.attr, None), FunctionType):
                    return MethodType(method, owner), args, kwargs
                if isinstance(owner, torch.Size) or (isinstance(owner, (list, tuple)) and node.func.attr == "index"):
                    return getattr(owner, node.func.attr), args, kwargs
            function = self._value(node.func)
            if function is UNKNOWN:
                return None
            if isinstance(function, torch.nn.Module) or function in _BUILTINS.values() or is_torchs(function):
                return function, args, kwargs
        except Exception:  # noqa: BLE001 - as in `value`
            return None
        return None

    def _argument(self, node: ast.AST) -> list[Any]:
        if isinstance(node, ast.Starred):
            several = self._value(node.value)
            return list(several) if isinstance(several, (list, tuple)) else [UNKNOWN]
        return [self._value(node)]

    def computed(self, function: Callable[..., Any] | None, *args: Any, **kwargs: Any) -> Any:
        """Returns what a function of the framework's gives on stand-ins of its arguments."""
        if function is None or any(item is UNKNOWN for item in (*args, *kwargs.values())):
            return UNKNOWN
        if next(tensors_in([list(args), kwargs]), None) is None:
            return function(*args, **kwargs)
        with quiet():
            return function(*(mapped(arg, shaped) for arg in args), **{key: mapped(arg, shaped) for key, arg in kwargs.items()})


def _method(name: str) -> Callable[..., Any]:
    def method(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(tensor, name)(*args, **kwargs)

    method.__name__ = name
    return method


def is_torchs(function: Any) -> bool:
    """Tells whether a function is one of the framework's that computes."""
    module = getattr(function, "__module__", None) or ""
    owner = type(getattr(function, "__self__", None)).__name__
    known = module.startswith(("torch.nn.functional", "torch._C", "torch.functional", "torch._tensor")) or (
        getattr(torch, getattr(function, "__name__", ""), None) is function
    )
    return callable(function) and (known or owner.startswith("_VariableFunctions")) and getattr(function, "__name__", "") not in _ACTS


def sign_of(node: ast.AST) -> str:
    """Returns the sign of an operator, or an empty string."""
    return _SIGNS.get(type(getattr(node, "op", None)), "")


def binary_of(node: ast.AST) -> Callable[..., Any] | None:
    """Returns the function of a binary operator or comparison."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return _BINARY.get(type(node.op))
    return _COMPARED.get(type(node.ops[0])) if isinstance(node, ast.Compare) else None
