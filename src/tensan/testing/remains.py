"""A digest of all that a program leaves behind: weights, optimizer states, generators, globals. Watched and bare must leave the same."""

from __future__ import annotations

import hashlib
import random
import sys
from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Any

#: How deep containers among a program's globals are read.
_DEEPEST = 6


class Remains:
    """Keeps a program's modules and optimizers alive, by torch's own hooks, until their digests are taken; made before it runs."""

    def __init__(self) -> None:
        random.seed(0)  # a fork draws a seed of its own, which would differ each time
        self._modules: dict[int, Any] = {}
        self._optimizers: dict[int, Any] = {}
        if "torch" not in sys.modules:
            return
        from torch.nn.modules import module
        from torch.optim.optimizer import register_optimizer_step_post_hook

        def keep_modules(owner: Any, _name: str, child: Any) -> None:
            self._modules.setdefault(id(owner), owner)
            if child is not None:
                self._modules.setdefault(id(child), child)

        def keep_owner(owner: Any, _name: str, _parameter: Any) -> None:
            self._modules.setdefault(id(owner), owner)

        def keep_optimizer(stepped: Any, _args: Any, _kwargs: Any) -> None:
            self._optimizers.setdefault(id(stepped), stepped)

        module.register_module_module_registration_hook(keep_modules)
        module.register_module_parameter_registration_hook(keep_owner)
        register_optimizer_step_post_hook(keep_optimizer)

    def digests(self) -> dict[str, str]:
        """Returns a digest of each thing that is left, by what it is."""
        return {name: _digest(value) for name, value in self._things()}

    def _things(self) -> Iterator[tuple[str, object]]:
        # Listed before anything is read, so that reading cannot add to it.
        for number, module in enumerate(list(self._modules.values())):
            yield f"module {number} ({type(module).__name__})", _module(module)
        for number, optimizer in enumerate(list(self._optimizers.values())):
            held = [[(tensor.detach(), tensor.grad) for tensor in group["params"]] for group in optimizer.param_groups]
            yield f"optimizer {number} ({type(optimizer).__name__})", (held, optimizer.state_dict())
        for name, value in sorted(vars(sys.modules["__main__"]).items()):
            if not name.startswith("__"):
                yield f"global {name}", value
        yield from _generators()


def _module(module: Any) -> object:
    return (
        {name: (tensor.detach(), tensor.grad, tensor.requires_grad) for name, tensor in module._parameters.items() if tensor is not None},
        dict(module._buffers),
        module.training,
        [len(hooks) for name, hooks in sorted(vars(module).items()) if name.endswith("hooks") and isinstance(hooks, dict)],
    )


def _generators() -> Iterator[tuple[str, object]]:
    yield "generator of random", random.getstate()
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        yield "generator of numpy", str(numpy.random.get_state())
    if torch is not None:
        yield "generator of torch", torch.get_rng_state()
        yield "modes of torch", (torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_num_threads())


def _digest(value: object) -> str:
    digest = hashlib.sha256()
    for part in _bytes(value, 0, set()):
        digest.update(part)
    return digest.hexdigest()[:16]


def _bytes(value: Any, depth: int, seen: set[int]) -> Iterator[bytes]:
    """Yields what makes up a value, as far as it is data; of anything else, its type."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(value, torch.Tensor):
        yield from _tensor(torch, value)
    elif (state := _state(value)) is not None:
        yield from _bytes(state, 0, seen)
    elif torch is not None and isinstance(value, torch.nn.Module):
        for name, item in value.state_dict().items():
            yield name.encode()
            yield from _bytes(item, depth + 1, seen)
        yield repr([(name, part.training) for name, part in value.named_modules()]).encode()
        for part in value.modules():
            yield from chain.from_iterable(_bytes(state, 0, seen) for state in map(_state, vars(part).values()) if state is not None)
    elif torch is not None and isinstance(value, torch.optim.Optimizer):
        yield from _bytes(value.state_dict(), depth + 1, seen)
    elif numpy is not None and isinstance(value, numpy.ndarray):
        yield str((value.dtype, value.shape)).encode()
        yield numpy.ascontiguousarray(value).tobytes() if value.dtype != object else repr(value.shape).encode()
    elif isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        yield repr(value).encode()
    elif isinstance(value, dict) and depth < _DEEPEST:
        for key, item in value.items():
            yield from _bytes(key, depth + 1, seen)
            yield from _bytes(item, depth + 1, seen)
    elif _is_programs_own(value) and depth < _DEEPEST and id(value) not in seen:
        seen.add(id(value))  # they may hold each other
        yield type(value).__qualname__.encode()
        for name, item in sorted(vars(value).items()):
            yield name.encode()
            yield from _bytes(item, depth + 1, seen)
    elif isinstance(value, (list, tuple, deque)) and depth < _DEEPEST:
        yield f"{type(value).__name__} of {len(value)}".encode()
        for item in value:
            yield from _bytes(item, depth + 1, seen)
    else:
        yield f"{type(value).__module__}.{type(value).__qualname__}".encode()


def _state(value: Any) -> object | None:
    """Returns the state of a generator of random numbers; None for all else."""
    if isinstance(value, random.Random):
        return None if isinstance(value, random.SystemRandom) else value.getstate()
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(value, torch.Generator):
        return value.get_state()
    if numpy is not None and isinstance(value, numpy.random.RandomState):
        return value.get_state(legacy=False)
    if numpy is not None and isinstance(value, numpy.random.Generator):
        return value.bit_generator.state
    return None


def _is_programs_own(value: Any) -> bool:
    """Tells whether a value's attributes are read: of the program's own classes, such as data sets with a generator, and of loaders."""
    data = sys.modules.get("torch.utils.data")
    is_loader = data is not None and isinstance(value, (data.DataLoader, data.Sampler))
    return (type(value).__module__ == "__main__" or is_loader) and not isinstance(value, type) and hasattr(value, "__dict__")


def _tensor(torch: Any, tensor: Any) -> Iterator[bytes]:
    yield str((tensor.dtype, tuple(tensor.shape), tensor.requires_grad)).encode()
    plain = tensor.detach()
    try:
        yield plain.cpu().contiguous().view(torch.uint8).numpy().tobytes() if plain.dim() else repr(plain.item()).encode()
    except (RuntimeError, TypeError):  # sparse, a wrapper's, on no device: only its shape can be told
        yield type(tensor).__name__.encode()


def differences(left: dict[str, str], right: dict[str, str]) -> list[str]:
    """Returns the names of what two runs of a program have not left alike."""
    return [name for name in left | right if left.get(name) != right.get(name)]
