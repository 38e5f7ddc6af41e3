"""The states of all global generators, as plain values that `torch.load(weights_only=True)` reads."""

from __future__ import annotations

import random
import sys
from typing import Any

import torch


def random_states() -> dict[str, Any]:
    """Returns the states of torch's generators on every device, of NumPy's and of Python's."""
    states: dict[str, Any] = {"torch": torch.get_rng_state(), "python": _plain(random.getstate())}
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        states["cuda"] = torch.cuda.get_rng_state_all()
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        kind, keys, *rest = numpy.random.get_state()
        states["numpy"] = [kind, torch.from_numpy(keys.astype("int64")), *map(_number, rest)]
    return states


def set_random_states(states: dict[str, Any]) -> None:
    """Puts all generators back."""
    torch.set_rng_state(states["torch"])
    random.setstate(_tuples(states["python"]))
    if "cuda" in states:
        torch.cuda.set_rng_state_all(states["cuda"])
    if "numpy" in states:
        import numpy

        kind, keys, *rest = states["numpy"]
        numpy.random.set_state((kind, keys.numpy().astype("uint32"), *rest))


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _number(value: Any) -> int | float:
    return float(value) if isinstance(value, float) else int(value)
