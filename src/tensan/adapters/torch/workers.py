"""Looks, inside a forked worker process, at the random generators that its copy of the dataset holds.

A copied generator draws the same numbers in every worker, and in every epoch anew. The worker tells its parent the state
it was given, once it has drawn from it.
"""

from __future__ import annotations

import ast
import hashlib
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType
from typing import Any

from tensan.adapters.torch.fetching import fetching, reached
from tensan.adapters.torch.live import live
from tensan.adapters.torch.source import assigns, in_definition, in_file
from tensan.core.events.randomness import RandomState
from tensan.core.sites import Location, is_users

#: Methods that run when an item is fetched.
_CALLED = ("__getitem__", "__iter__", "__call__")
#: Attributes that hold a part of a dataset whatever class that is.
_INNER = frozenset({"dataset", "transform", "transforms", "target_transform"})

#: Reads the source, so it is asked only for a generator that was drawn from.
Finder = Callable[[], Location | None]

_watched: dict[str, tuple[Any, str, Finder]] = {}
_epoch = [0]
_worker = [0]
_loader = [""]


def _is_generator(value: Any) -> bool:
    import torch

    if isinstance(value, (random.Random, torch.Generator)):
        return True
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, (numpy.random.Generator, numpy.random.RandomState))


def _digest(generator: Any) -> str:
    import torch

    if isinstance(generator, torch.Generator):
        state = generator.get_state().numpy().tobytes()
    elif isinstance(generator, random.Random):
        state = pickle.dumps(generator.getstate())
    elif hasattr(generator, "bit_generator"):
        state = repr(_plain(generator.bit_generator.state)).encode()
    else:
        state = repr(_plain(generator.get_state(legacy=False))).encode()
    return hashlib.sha256(state).hexdigest()[:16]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value.tobytes() if hasattr(value, "tobytes") else value


def generators(dataset: Any) -> Iterator[tuple[str, Any, Finder]]:
    """Yields the generators that a dataset holds or that its `__getitem__` names, with what finds the line that made each."""
    seen: set[int] = set()
    waiting: list[tuple[str, Any, int]] = [("self", dataset, 0)]
    while waiting:
        path, thing, depth = waiting.pop(0)
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        for name, value in list(getattr(thing, "__dict__", {}).items()):
            if _is_generator(value):
                yield f"{path}.{name}", value, partial(in_definition, type(thing), assigns(name, attribute=True))
            elif depth < 2 and (name in _INNER or is_users(getattr(sys.modules.get(type(value).__module__), "__file__", None) or "<")):
                waiting.append((f"{path}.{name}", value, depth + 1))
            elif depth < 2 and isinstance(value, (list, tuple)) and len(value) < 20:
                waiting += [(f"{path}.{name}[{index}]", item, depth + 1) for index, item in enumerate(value) if hasattr(item, "__dict__")]
        for function in _run_by(thing):
            for name, value in reached(function):
                if _is_generator(value):
                    yield name, value, partial(in_file, function.__code__.co_filename, assigns(name, attribute=False))


def _run_by(thing: Any) -> Iterator[FunctionType]:
    """Yields the program's own functions that run when an item is fetched of a thing, or the thing where it is one itself."""
    if not isinstance(thing, FunctionType):
        yield from (function for method in _CALLED if (function := fetching(thing, method)) is not None)
    elif is_users(thing.__code__.co_filename):
        yield thing


def seeded_by(init: Any) -> Iterator[tuple[str, Any, Finder]]:
    """Yields the global generators, which torch seeds differently in each worker, where the program's own function runs after that."""
    import torch

    if init is None:
        return
    function = getattr(init, "func", init)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        yield "numpy.random", numpy.random.mtrand._rand, partial(in_definition, function, _seeds)
    yield "random", random._inst, partial(in_definition, function, _seeds)  # type: ignore[attr-defined]
    yield "torch", torch.default_generator, partial(in_definition, function, _seeds)


def _seeds(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) in ("seed", "manual_seed", "set_state")


def begin(dataset: Any, worker: int, loader: str, epoch: int, init: Any = None) -> None:
    """Remembers the generators' states as this worker was given them, after its own seeding has run."""
    _worker[0], _loader[0], _epoch[0] = worker, loader, epoch
    _watched.clear()
    for name, generator, find in (*seeded_by(init), *generators(dataset)):
        _watched[name] = generator, _digest(generator), find


def failed(error: BaseException) -> None:
    """Where a batch cannot be loaded: tells the parent why, since only the text of the error reaches it."""
    from tensan.adapters.torch.crashes.from_workers import tell_from_worker

    tell_from_worker(error, _worker[0])


def fetched() -> None:
    """After the worker's first batch: tells the parent which generators were drawn from, and from which state."""
    if not _watched or live.worker is None:
        return
    for name, (generator, digest, find) in _watched.items():
        after = _digest(generator)
        if after != digest:
            live.worker.watch.send(
                RandomState(
                    generator=name,
                    kind=type(generator).__name__,
                    loader=_loader[0],
                    worker=_worker[0],
                    epoch=_epoch[0],
                    digest=digest,
                    after=after,
                    drawn=True,
                    made=find(),
                )
            )
    _watched.clear()
