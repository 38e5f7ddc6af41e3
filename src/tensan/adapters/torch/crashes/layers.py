"""The framework's own layers: how one would be built with another width, and which of them gave a result its width."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from tensan.adapters.torch.crashes.trials import shaped
from tensan.core.trees import body_of, walk

#: Arguments that say how wide a layer's input is, and its output.
INPUT_WIDTHS = ("in_features", "in_channels", "num_features", "input_size", "embed_dim", "normalized_shape", "num_channels", "in1_features")
OUTPUT_WIDTHS = ("out_features", "out_channels", "embedding_dim")
#: Layers that leave the width of what they are given as it is.
_NARROW = (
    nn.Dropout,
    nn.ReLU,
    nn.Sigmoid,
    nn.Tanh,
    nn.GELU,
    nn.ELU,
    nn.SiLU,
    nn.LeakyReLU,
    nn.Softmax,
    nn.LogSoftmax,
    nn.Identity,
    nn.Softplus,
)


def is_torchs(module: Any) -> bool:
    """Tells whether a module and all its parts are the framework's own, so that running it runs none of the user's code."""
    return all(type(part).__module__.startswith("torch.nn.modules") and not part._forward_hooks for part in module.modules()) and not any(
        part._forward_pre_hooks for part in module.modules()
    )


def described(module: Any) -> str:
    """Returns a layer as Python shows it."""
    extra = module.extra_repr() if not module._modules else ""
    return f"{type(module).__name__}({extra})" if extra and len(extra) < 90 else type(module).__name__


def signature_of(kind: type) -> inspect.Signature:
    """Returns the signature of a layer's constructor."""
    base = next((parent for parent in kind.__mro__ if parent.__name__ == "RNNBase"), None)
    if base is None or kind is base:
        return inspect.signature(kind.__init__)
    whole = inspect.signature(base.__init__)
    return whole.replace(parameters=[parameter for name, parameter in whole.parameters.items() if name != "mode"])


def rebuilt(layer: Any, *, computed: bool, **changes: Any) -> Any:
    """Returns a layer with some arguments of its constructor changed; raises where it cannot be built."""
    arguments: dict[str, Any] = {}
    weight = next(layer.parameters(), None)
    for name, parameter in signature_of(type(layer)).parameters.items():
        if name in ("self", "device") or name.startswith("_") or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if name in changes:
            arguments[name] = changes[name]
        elif name == "dtype":
            arguments[name] = weight.dtype if weight is not None else None
        elif hasattr(layer, name):
            held = getattr(layer, name)
            if isinstance(held, (bool, int)) and held == parameter.default:
                continue  # some constructors refuse an argument that says what they would do anyway
            arguments[name] = held is not None if name == "bias" and not isinstance(held, bool) else held
        elif parameter.default is parameter.empty:
            raise TypeError(name)
    placed = {"device": "meta"} if "device" in signature_of(type(layer)).parameters else {}
    new = type(layer)(**arguments, **placed)
    if computed:
        new = new.to_empty(device="cpu")
    return new.train(layer.training)


def as_operation(layer: Any, **changes: Any) -> Callable[[bool], Callable[..., Any]]:
    """Returns a layer as an operation on stand-ins, which has parameters of its own."""

    def operation(computed: bool) -> Callable[..., Any]:
        if changes:
            return rebuilt(layer, computed=computed, **changes)
        held = {name: shaped(tensor, computed=computed) for name, tensor in (*layer.named_parameters(), *layer.named_buffers())}
        return lambda *args, **kwargs: torch.func.functional_call(layer, held, args, kwargs)

    return operation


def width_name(layer: Any, names: tuple[str, ...]) -> str:
    """Returns the name of the argument that sets a layer's width, or an empty string."""
    return next((name for name in names if hasattr(layer, name)), "")


def last_layer(module: Any, depth: int = 4) -> Any:
    """Returns the layer that gives a module's result its width, or None where that cannot be told."""
    if depth == 0:
        return None
    if isinstance(module, nn.Sequential):
        for part in reversed(list(module)):
            if not isinstance(part, _NARROW):
                return last_layer(part, depth - 1)
        return None
    if type(module).__module__.startswith("torch."):
        return module if width_name(module, OUTPUT_WIDTHS) else None
    body = body_of(type(module).forward.__code__) if hasattr(type(module).forward, "__code__") else None
    returned = [node.value for node in walk(body) if isinstance(node, ast.Return)] if body is not None else []
    return _of_expression(returned[0], module, body, depth) if len(returned) == 1 and body is not None else None


def _of_expression(node: ast.AST | None, module: Any, body: ast.AST, depth: int) -> Any:
    while isinstance(node, ast.Call):
        part = _resolved(node.func, module)
        if isinstance(part, nn.Module):
            return last_layer(part, depth - 1)
        if isinstance(node.func, ast.Attribute) and node.func.attr in (
            "squeeze",
            "relu",
            "sigmoid",
            "tanh",
            "softmax",
            "log_softmax",
            "contiguous",
        ):
            node = (
                node.args[0]
                if node.args and isinstance(node.func.value, ast.Name) and node.func.value.id in ("torch", "F")
                else node.func.value
            )
            continue
        return None
    if isinstance(node, ast.Name) and depth:
        for statement in reversed([item for item in walk(body) if isinstance(item, ast.Assign)]):
            if any(isinstance(target, ast.Name) and target.id == node.id for target in statement.targets):
                return _of_expression(statement.value, module, body, depth - 1)
    return None


def _resolved(node: ast.AST, module: Any) -> Any:
    if isinstance(node, ast.Name):
        return module if node.id == "self" else None
    if isinstance(node, ast.Attribute):
        owner = _resolved(node.value, module)
        return owner._modules.get(node.attr) if isinstance(owner, nn.Module) else None
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        owner = _resolved(node.value, module)
        keys = list(owner._modules) if isinstance(owner, nn.Module) else []
        try:
            return owner._modules[keys[node.slice.value] if isinstance(node.slice.value, int) else str(node.slice.value)]
        except (LookupError, TypeError):
            return None
    return None
