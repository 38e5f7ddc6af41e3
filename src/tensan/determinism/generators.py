"""The global generators of a process: they are seeded together, and each tells whether it has been drawn from."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

#: What NumPy takes.
MOST = 2**32 - 1
#: Where Python's and NumPy's generator stand once they are seeded: at the end of a block, before the first one is made.
_FRESH = 624


def seed_loaded(seed: int) -> None:
    """Seeds what is there now, and each other library as soon as it is imported."""
    from wrapt import register_post_import_hook  # which calls at once what is there already

    random.seed(seed)
    for name, apply in _LIBRARIES.items():
        register_post_import_hook(lambda module, apply=apply: apply(module, seed), name)


def drawn_from() -> Iterator[str]:
    """Yields the names of the generators that have given numbers already."""
    if random.getstate()[1][-1] != _FRESH:
        yield "random"
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        state = numpy.random.get_state(legacy=False)["state"]
        if state.get("pos", _FRESH) != _FRESH:
            yield "numpy"
    if torch is not None:
        fresh = torch.Generator().manual_seed(torch.initial_seed())
        if not torch.equal(fresh.get_state(), torch.default_generator.get_state()):
            yield "torch"


def _numpy(numpy: Any, seed: int) -> None:
    numpy.random.seed(seed)


def _torch(torch: Any, seed: int) -> None:
    torch.manual_seed(seed)  # of all devices, also those that are initialised later


def _tensorflow(tensorflow: Any, seed: int) -> None:
    tensorflow.random.set_seed(seed)


_LIBRARIES: dict[str, Callable[[Any, int], None]] = {"numpy": _numpy, "torch": _torch, "tensorflow": _tensorflow}
