"""Whether an array has values to look at, or only stands for them while a program is traced. No framework is imported to tell."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from tensan.contracts.calls.policy import ContractWarning, outside

_said: set[str] = set()


def prepare() -> None:
    """Lets torch's compiler run `say` while it traces, instead of tracing it."""
    if (torch := sys.modules.get("torch")) is not None:
        torch.compiler.assume_constant_result(say)


def compiling() -> bool:
    """Tells whether torch's compiler or exporter runs this code on symbols."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def say(what: str) -> None:
    """Warns, once in a process, of what is not checked and why."""
    if what not in _said:
        _said.add(what)
        warnings.warn(what, ContractWarning, stacklevel=outside())


def say_traced(function: str) -> None:
    """Says, once for each function, that its values are not looked at."""
    say(f"{function}: traced, so ranges, finiteness and gradients are not checked; shapes and types are")


def sizes(shape: Any) -> tuple[Any, ...] | None:
    """Returns a shape that is no tuple as one, with None for sizes that are open; None where not even the number of axes is known."""
    if _is_proxy(shape) or getattr(shape, "rank", 0) is None:
        return None
    return tuple(shape)


def traced(array: Any) -> bool:
    """Tells whether an array only stands for values."""
    torch, jax, tensorflow = (sys.modules.get(name) for name in ("torch", "jax", "tensorflow"))
    if torch is not None and isinstance(array, torch.Tensor):
        fake = array.device.type == "meta" or any(kind.__name__ == "FakeTensor" for kind in type(array).__mro__)
        return fake or torch.jit.is_tracing() or torch._C._functorch.is_functorch_wrapped_tensor(array)
    if jax is not None and isinstance(array, jax.core.Tracer):
        return True
    return _is_proxy(array) or (tensorflow is not None and tensorflow.is_symbolic_tensor(array))


def _is_proxy(value: Any) -> bool:
    """Tells whether a value is what `torch.fx` records: it has neither a shape nor a type."""
    fx = sys.modules.get("torch.fx")
    return fx is not None and isinstance(value, fx.Proxy)
