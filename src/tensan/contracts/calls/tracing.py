"""Whether an array has values to look at, or only stands for them while a program is traced. No framework is imported to tell."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from tensan.contracts.calls.policy import ContractWarning

_said: set[str] = set()


def prepare() -> None:
    """Lets torch's compiler run `say` while it traces, instead of tracing it."""
    if (torch := sys.modules.get("torch")) is not None:
        torch.compiler.assume_constant_result(say)


def compiling() -> bool:
    """Tells whether torch's compiler or exporter runs this code on symbols."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def say(function: str) -> None:
    """Says, once for each function, that its values are not looked at."""
    if function not in _said:
        _said.add(function)
        warnings.warn(
            f"{function}: traced, so ranges, finiteness and gradients are not checked; shapes and types are", ContractWarning, stacklevel=2
        )


def traced(array: Any) -> bool:
    """Tells whether an array only stands for values."""
    torch, jax, tensorflow = (sys.modules.get(name) for name in ("torch", "jax", "tensorflow"))
    if torch is not None and isinstance(array, torch.Tensor):
        fake = array.device.type == "meta" or any(kind.__name__ == "FakeTensor" for kind in type(array).__mro__)
        return fake or torch.jit.is_tracing() or torch._C._functorch.is_functorch_wrapped_tensor(array)
    if jax is not None and isinstance(array, jax.core.Tracer):
        return True
    return tensorflow is not None and tensorflow.is_symbolic_tensor(array)
