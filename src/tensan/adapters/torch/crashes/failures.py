"""The operation that failed, as it can be run again: a layer, a function, a method or an operator, with what it was given."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any

import torch
from torch import nn

from tensan.adapters.torch.crashes.expressions import UNKNOWN, Reader, binary_of, sign_of
from tensan.adapters.torch.crashes.frames import Step
from tensan.adapters.torch.crashes.layers import as_operation, is_torchs
from tensan.adapters.torch.crashes.makers import Maker, Makers, function_of_step
from tensan.adapters.torch.crashes.trials import result_of, tensors_in
from tensan.core.trees import location

#: Operations whose operands must have one shape up to broadcasting.
_ELEMENTWISE = frozenset(
    "add sub mul div pow eq ne lt le gt ge where masked_fill masked_fill_ add_ sub_ mul_ div_ truediv mod maximum minimum".split()  # noqa: SIM905
)
LOSSES = frozenset(
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits "  # noqa: SIM905
    "MSELoss L1Loss SmoothL1Loss HuberLoss BCELoss BCEWithLogitsLoss".split()
)
VIEWS = frozenset({"view", "reshape"})


class Operand:
    """One array that an operation was given.

    Attributes:
        path: where among the arguments: the name or number, and the number within a list.
        node: the expression that gave it, in the user's failing line; None where it is not written there.
    """

    def __init__(
        self, value: Any, path: tuple[Any, ...], *, name: str = "", node: ast.AST | None = None, maker: Maker | None = None
    ) -> None:
        self.value, self.path, self.name, self.node, self.maker = value, path, name, node, maker


class Failure:
    """An operation that failed.

    Attributes:
        kind: its name: `Linear`, `cross_entropy`, `cat`, `@`.
        operation: given whether zeros are computed with, returns the operation itself.
        user: index of the user's frame whose line failed; call: the expression in it.
        layer: the framework's layer that it belongs to.
    """

    def __init__(
        self,
        *,
        kind: str,
        operation: Callable[[bool], Callable[..., Any]],
        arguments: dict[str, Any],
        operands: list[Operand],
        user: int,
        call: ast.AST | None,
        layer: Any = None,
    ) -> None:
        self.kind, self.operation, self.arguments, self.operands = kind, operation, arguments, operands
        self.user, self.call, self.layer = user, call, layer

    @property
    def is_elementwise(self) -> bool:
        """Whether it takes operands apart element by element."""
        return self.kind in _ELEMENTWISE or self.kind in LOSSES

    @property
    def is_classification(self) -> bool:
        """Whether it is a loss of scores for classes, whose targets have one axis less."""
        return self.kind in ("cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss")

    @property
    def joins(self) -> bool:
        """Whether it puts arrays beside each other along an axis that they have."""
        return self.kind in ("cat", "concat", "concatenate")

    @property
    def given_several(self) -> bool:
        """Whether a layer that takes one array was given a tuple of them, as a recurrent layer's result is."""
        first = next(iter(self.arguments["args"]), None)
        return self.layer is not None and isinstance(first, (tuple, list)) and bool(first) and isinstance(first[0], torch.Tensor)

    def gives(self, arguments: dict[str, Any] | None = None, operation: Callable[[bool], Callable[..., Any]] | None = None) -> bool:
        """Tells whether it runs, on stand-ins, and gives what is meant rather than all pairs of two arrays."""
        arguments = arguments or self.arguments
        result = result_of(operation or self.operation, arguments, shapes_only=self.kind in VIEWS)
        if result is None:
            return False
        given = list(tensors_in(arguments))
        if self.kind in LOSSES:
            return len(given) < 2 or tuple(given[0].shape) == tuple(given[1].shape)
        if self.kind in _ELEMENTWISE and isinstance(result, torch.Tensor) and given:
            return result.numel() <= max(tensor.numel() for tensor in given)
        return True

    def replaced(self, operand: Operand, value: Any) -> dict[str, Any]:
        """Returns the arguments with one operand exchanged."""
        args, kwargs = list(self.arguments["args"]), dict(self.arguments["kwargs"])
        first, *rest = operand.path
        holder: Any = args if isinstance(first, int) else kwargs
        if not rest:
            holder[first] = value
        else:
            several = list(holder[first])
            several[rest[0]] = value
            holder[first] = several
        return {"args": args, "kwargs": kwargs}


def failure_of(steps: list[Step], makers: Makers) -> Failure | None:
    """Returns the operation that ended the program, or None where it was none of the framework's."""
    user = next((at for at in range(len(steps) - 1, -1, -1) if steps[at].is_users), None)
    if user is None:
        return None
    below = steps[user + 1 :]
    if below and not any("torch" in step.path for step in below[:1]):
        return None
    return _of_layer(steps, user, makers) or _of_function(steps, user, makers) or _direct(steps, user, makers)


# ---- a layer ----


def _of_layer(steps: list[Step], user: int, makers: Makers) -> Failure | None:
    for at in range(user + 1, len(steps)):
        step = steps[at]
        layer: Any = step.names.get("self")
        if step.function != "_call_impl" or not isinstance(layer, nn.Module) or isinstance(layer, nn.Sequential):
            continue
        if not type(layer).__module__.startswith("torch.nn") or not is_torchs(layer):
            return None
        args, kwargs = step.names.get("args"), step.names.get("kwargs")
        if not isinstance(args, tuple) or not isinstance(kwargs, dict):
            return None
        names = [name for name in inspect.signature(type(layer).forward).parameters if name != "self"]
        operands = []
        call = steps[user].node()
        inside = makers.before_in_sequence(user, at) is not None
        for path, name, value in _arrays(args, kwargs, names):
            position = path[0] if isinstance(path[0], int) else names.index(name) if name in names else 0
            node = None if inside else makers.argument_node(user, position, name)
            if len(path) > 1 and isinstance(node, (ast.Tuple, ast.List)) and path[1] < len(node.elts):
                node = node.elts[path[1]]
            maker = makers.of(user, node) if node is not None and len(path) > 1 else makers.entering(at, position, name)
            operands.append(Operand(value, path, name=_word(node) or name, node=node, maker=maker))
        if type(layer).__module__ == "torch.nn.modules.loss" and isinstance(call, ast.Call):  # class weights, built with the loss
            operands += [
                Operand(held, (name,), name=name, maker=makers.given_when_built(user, call.func, name))
                for name, held in layer.named_buffers()
            ]
        return Failure(
            kind=type(layer).__name__,
            operation=as_operation(layer),
            arguments={"args": list(args), "kwargs": dict(kwargs)},
            operands=operands,
            user=user,
            call=call,
            layer=layer,
        )
    return None


# ---- a function of the framework's that is written in Python ----


def _of_function(steps: list[Step], user: int, makers: Makers) -> Failure | None:
    if user + 1 >= len(steps) or not steps[user + 1].path.endswith("functional.py"):
        return None
    step = steps[user + 1]
    function = step.globals.get(step.function)
    if function is None:
        return None
    code = step.code
    names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    given = code.co_varnames[len(names) : len(names) + bool(code.co_flags & inspect.CO_VARARGS)]
    if any(name not in step.names for name in (*names, *given)):
        return None
    args, kwargs = [item for name in given for item in step.names[name]], {name: step.names[name] for name in names}
    operands = []
    for path, name, value in _arrays(args, kwargs, []):
        node = makers.argument_node(user, path[0] if not name else names.index(name), name)
        operands.append(
            Operand(value, path, name=_word(node) or name, node=node, maker=makers.of(user, node) if node is not None else None)
        )
    return Failure(
        kind=step.function,
        operation=lambda _computed: function,
        arguments={"args": args, "kwargs": kwargs},
        operands=operands,
        user=user,
        call=steps[user].node(),
    )


# ---- an operator, a method or a built-in function in the user's own line ----


def _direct(steps: list[Step], user: int, makers: Makers) -> Failure | None:
    step = steps[user]
    node = step.node()
    reader = Reader(step)
    nodes: list[ast.AST | None]
    kwargs: dict[str, Any] = {}
    if isinstance(node, (ast.BinOp, ast.Compare, ast.AugAssign)):
        function = binary_of(node)
        if isinstance(node, ast.BinOp):
            nodes = [node.left, node.right]
        elif isinstance(node, ast.AugAssign):
            nodes = [node.target, node.value]
        else:
            nodes = [node.left, node.comparators[0]]
        args = [reader.value(item) for item in nodes]
        if function is None or any(item is UNKNOWN for item in args):
            return None
        kind = sign_of(node) if sign_of(node) == "@" else function.__name__
    elif isinstance(node, ast.Call):
        called = reader.call(node)
        if called is None:
            return None
        function, args, kwargs = called
        if isinstance(function, (nn.Module, MethodType)):
            return None
        kind = getattr(function, "__name__", "")
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) and len(args) == len(node.args) + 1 else []
        nodes = [*receiver, *node.args]
    else:
        return None
    operands = []
    for path, name, value in _arrays(args, kwargs, []):
        given = nodes[path[0]] if isinstance(path[0], int) and path[0] < len(nodes) else None
        if given is None and name:
            given = next((keyword.value for keyword in getattr(node, "keywords", ()) if keyword.arg == name), None)
        if len(path) > 1:
            given = given.elts[path[1]] if isinstance(given, (ast.List, ast.Tuple)) and path[1] < len(given.elts) else given
        operands.append(Operand(value, path, name=_word(given), node=given, maker=makers.of(user, given)))
    if not operands:
        return None
    return Failure(
        kind=kind,
        operation=lambda _computed: function,
        arguments={"args": list(args), "kwargs": kwargs},
        operands=operands,
        user=user,
        call=node,
    )


def _arrays(args: Any, kwargs: dict[str, Any], names: list[str]) -> Iterator[tuple[tuple[Any, ...], str, Any]]:
    pairs = [(number, names[number] if number < len(names) else "", value) for number, value in enumerate(args)]
    pairs += [(name, name, value) for name, value in kwargs.items()]
    for key, name, value in pairs:
        if isinstance(value, torch.Tensor):
            yield (key,), name, value
        elif isinstance(value, (list, tuple)):
            for number, item in enumerate(value[:16]):
                if isinstance(item, torch.Tensor):
                    yield (key, number), name, item


def _word(node: ast.AST | None) -> str:
    if node is None:
        return ""
    text = ast.unparse(node)
    return text if len(text) <= 40 else ""


def place_of(step: Step, node: ast.AST | None) -> Any:
    """Returns where a failing expression stands, the whole line where there is none."""
    return location(step.path, node, function_of_step(step)) if node is not None else step.site
