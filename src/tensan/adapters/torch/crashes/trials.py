"""Runs an operation on empty tensors of the same kind as those that it failed on: whether it would run, never what it gives."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

#: Elements of all operands together up to which zeros are computed with; beyond, only shapes are.
MOST_COMPUTED = 1 << 22
#: Integer tensors up to this size keep their values, since those may be indices.
MOST_KEPT = 1 << 20


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Runs what follows unseen: no warning, no drawn number, no gradient, none of the program's modes and hooks."""
    from torch.nn.modules import module

    state = torch.default_generator.get_state()
    hooks = [store for name, store in vars(module).items() if name.startswith("_global_") and isinstance(store, dict)]
    held = [dict(store) for store in hooks]
    for store in hooks:
        store.clear()
    try:
        with warnings.catch_warnings(), torch.no_grad(), torch._C.DisableTorchFunction(), _disable_current_modes():
            warnings.simplefilter("ignore")
            yield
    finally:
        for store, items in zip(hooks, held, strict=True):
            store.update(items)
        torch.default_generator.set_state(state)


def shaped(tensor: Any, *, computed: bool = False) -> Any:
    """Returns a tensor of the same shape and type: zeros (indices keep their values), or nothing but a shape."""
    if not computed:
        return torch.empty_strided(tuple(tensor.shape), tuple(tensor.stride()), dtype=tensor.dtype, device="meta")
    is_index = not tensor.dtype.is_floating_point and not tensor.dtype.is_complex
    if is_index and not tensor.is_meta and tensor.numel() <= MOST_KEPT:
        return tensor.detach().cpu().clone()
    return torch.zeros(tuple(tensor.shape), dtype=tensor.dtype)


def tensors_in(value: Any) -> Iterator[Any]:
    """Yields the tensors of an argument, which may be a list of them."""
    if isinstance(value, torch.Tensor):
        yield value
    elif type(value) in (list, tuple):
        for item in value[:64]:
            yield from tensors_in(item)
    elif type(value) is dict:
        yield from tensors_in(list(value.values()))


def mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """Returns an argument with each of its tensors replaced."""
    if isinstance(value, torch.Tensor):
        return function(value)
    if type(value) in (list, tuple):
        return type(value)(mapped(item, function) for item in value)
    if type(value) is dict:
        return {key: mapped(item, function) for key, item in value.items()}
    return value


def result_of(operation: Callable[[bool], Callable[..., Any]], arguments: dict[str, Any], *, shapes_only: bool = False) -> Any:
    """Returns what an operation gives on stand-ins of its arguments, or None where it raises.

    Args:
        operation: given whether zeros are computed with, returns the operation.
        arguments: its `args` and `kwargs`.
        shapes_only: never compute with zeros, so that strides are those of the program.
    """
    computed = not shapes_only and sum(tensor.numel() for tensor in tensors_in(arguments)) <= MOST_COMPUTED
    try:
        with quiet():
            held = mapped(arguments, lambda tensor: shaped(tensor, computed=computed))
            result = operation(computed)(*held["args"], **held["kwargs"])
    except Exception:  # noqa: BLE001 - that it raises is the answer
        return None
    return True if result is None else result
