"""Explains the exception that ended a program, from its traceback alone: nothing is paid before, nothing is kept afterwards."""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import nn

from tensan.adapters.torch.crashes import graphs, states
from tensan.adapters.torch.crashes.constructors import constructor_told
from tensan.adapters.torch.crashes.failures import Failure, failure_of, place_of
from tensan.adapters.torch.crashes.frames import steps_of
from tensan.adapters.torch.crashes.layers import described
from tensan.adapters.torch.crashes.loading import index_told, item_of, ragged_told
from tensan.adapters.torch.crashes.makers import Makers
from tensan.adapters.torch.crashes.remedies import repairs_of
from tensan.adapters.torch.inventory import Inventory, dtype_name
from tensan.core.events.run import Raised
from tensan.core.events.things import MetOperand, typed

_ABOUT_TYPES = re.compile(
    r"dtype|scalar type|data type|floating point type|can't be cast|must be of type|(?:Long|Float|Double|Half|Int)(?:Tensor)? but"
)
_ABOUT_DEVICES = re.compile(r"same device|on device|expected device|cuda.*cpu|cpu.*cuda", re.IGNORECASE)
_ABOUT_INDICES = re.compile(r"out of (?:range|bounds)|less than num_classes|smaller than num_classes")
_DIMENSION = re.compile(r"[Dd]imension out of range")
#: Errors of the machine, not of the program's shapes.
_OTHER = re.compile(r"out of memory|CUDA error|NCCL|not implemented|DataLoader worker|Ninja|CUDA out", re.IGNORECASE)
_KINDS = (RuntimeError, ValueError, IndexError, AssertionError, TypeError)


def explain(error: BaseException, inventory: Inventory, *, step: int) -> Raised | None:
    """Returns what ended the program, or None where that is not understood."""
    message = str(error)
    if not isinstance(error, _KINDS) or isinstance(error, NotImplementedError) or _OTHER.search(message):
        return None
    steps = steps_of(error.__traceback__)
    user = next((at for at in range(len(steps) - 1, -1, -1) if steps[at].is_users), None)
    item = item_of(steps)

    def tell(problem: str, **fields: Any) -> Raised:
        if user is not None:
            fields.setdefault("site", place_of(steps[user], steps[user].node()))
        if item is not None:
            fields["detail"] = f"{fields.get('detail') or 'fails'}, at item {item!r}"
        return Raised(kind=type(error).__name__, message=message, step=step, problem=problem, **fields)

    loading = ragged_told(steps, tell) or index_told(steps, error, tell)
    if loading is not None or user is None:
        return loading
    makers = Makers(steps, inventory)
    found = (
        states.state_told(steps, makers, tell)
        or states.empty_told(steps, makers, message, tell)
        or graphs.told(steps, makers, message, tell)
        or constructor_told(steps, makers, message, tell)
    )
    if found is not None:
        return found
    failure = failure_of(steps, makers)
    return _of_operation(failure, makers, message, tell) if failure is not None else None


def _of_operation(failure: Failure, makers: Makers, message: str, tell: Any) -> Raised | None:
    devices = {operand.value.device for operand in failure.operands if operand.value.dim()}
    if failure.layer is not None:
        devices |= {tensor.device for tensor in failure.layer.parameters()}
    if len(devices) > 1 and _ABOUT_DEVICES.search(message):
        problem = "device"
        repairs = states.device_repairs(list(makers.steps), failure.user, failure)
    else:
        problem = (
            "dtype"
            if _ABOUT_TYPES.search(message)
            else "index"
            if _ABOUT_INDICES.search(message) and not _DIMENSION.search(message)
            else "shape"
        )
        if failure.gives():
            return None  # on other values of the same kind it runs: it is not about their kind
        repairs = repairs_of(failure, makers, problem=problem)
    layer = failure.layer
    return tell(
        problem,
        operation=_shown(failure),
        operands=tuple(_told(operand) for operand in failure.operands),
        layer=described(layer) if layer is not None and next(layer.parameters(), None) is not None else "",
        layer_name=_path_of(layer, makers) if layer is not None else "",
        built=makers.built(layer) if layer is not None else None,
        repairs=repairs,
        detail=_detail(failure, problem),
    )


def _told(operand: Any) -> MetOperand:
    maker = operand.maker
    return MetOperand(
        name=operand.name,
        shape=tuple(operand.value.shape),
        dtype=dtype_name(operand.value),
        device=str(operand.value.device),
        maker=maker.text if maker is not None else "",
        made=maker.made if maker is not None else None,
        built=maker.built if maker is not None else None,
    )


def _shown(failure: Failure) -> str:
    types = [typed(dtype_name(operand.value), tuple(operand.value.shape)) for operand in failure.operands]
    layer = failure.layer
    if layer is not None and failure.given_several:
        return f"{type(layer).__name__} of a {type(failure.arguments['args'][0]).__name__} that begins with {types[0]}"
    if isinstance(layer, nn.Linear):
        return f"{types[0]} @ {typed(dtype_name(layer.weight), tuple(layer.weight.shape)[::-1])}"
    sign = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "@": "@", "matmul": "@", "bmm": "@", "mm": "@"}.get(failure.kind)
    if sign and len(types) == 2:
        return f"{types[0]} {sign} {types[1]}"
    if failure.kind in ("view", "reshape"):
        return f"{types[0]} as [{', '.join(map(str, failure.arguments['args'][1:]))}]"
    if isinstance(layer, (nn.Embedding,)):
        return f"Embedding({layer.num_embeddings}, {layer.embedding_dim}) of {types[0]}"
    if layer is not None and (weight := next(layer.parameters(), None)) is not None:
        return f"{type(layer).__name__} with {typed(dtype_name(weight), tuple(weight.shape))} of {types[0]}"
    return f"{failure.kind}({', '.join(types[:4])}{', ...' if len(types) > 4 else ''})"


def _detail(failure: Failure, problem: str) -> str:
    if problem == "index":
        ids = [operand for operand in failure.operands if not operand.value.dtype.is_floating_point and operand.value.numel()]
        if ids:
            with torch.no_grad():
                return f"`{ids[-1].name or 'the indices'}` hold {int(ids[-1].value.min())} to {int(ids[-1].value.max())}"
    if problem == "device":
        return ", ".join(f"`{operand.name}` on {operand.value.device}" for operand in failure.operands)
    return ", ".join(
        f"`{operand.name}` is {typed(dtype_name(operand.value), tuple(operand.value.shape))}"
        for operand in failure.operands[:3]
        if operand.name
    )


def _path_of(layer: Any, makers: Makers) -> str:
    """Returns a layer's path as the program would write it: `model.head`."""
    root, path = makers.inventory.root_of(layer), makers.inventory.path_of(layer)
    for step in makers.steps:
        if step.is_users:
            for name, held in {**step.globals, **step.names}.items():
                if held is root and name != "self":
                    return f"{name}.{path}" if path else name
    return path
