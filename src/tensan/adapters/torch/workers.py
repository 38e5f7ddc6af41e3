"""Looks, inside a forked worker process, at the random generators that its copy of the dataset holds.

A copied generator draws the same numbers in every worker, and in every epoch anew. The worker tells its parent the state
it was given, once it has drawn from it.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import pickle
import random
import types
from collections.abc import Iterator
from typing import Any

from tensan.adapters.torch.live import live
from tensan.core.events import RandomState
from tensan.core.sites import Location, is_users

_watched: dict[str, tuple[Any, str]] = {}
_epoch = [0]
_worker = [0]
_loader = [""]


def _is_generator(value: Any) -> bool:
    import torch

    if isinstance(value, (random.Random, torch.Generator)):
        return True
    numpy = inspect.sys.modules.get("numpy")  # type: ignore[attr-defined]
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


def generators(dataset: Any) -> Iterator[tuple[str, Any, Location | None]]:
    """Yields the generators that a dataset holds or that its `__getitem__` names, with where they are made."""
    seen: set[int] = set()
    waiting: list[tuple[str, Any, int]] = [("self", dataset, 0)]
    while waiting:
        path, thing, depth = waiting.pop(0)
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        for name, value in list(getattr(thing, "__dict__", {}).items()):
            if _is_generator(value):
                yield f"{path}.{name}", value, _assignment(type(thing), name)
            elif depth < 2 and is_users(inspect.sys.modules.get(type(value).__module__, types.ModuleType("")).__dict__.get("__file__") or "<"):  # type: ignore[attr-defined]
                waiting.append((f"{path}.{name}", value, depth + 1))
            elif depth < 2 and name in ("dataset", "transform", "transforms", "target_transform"):
                waiting.append((f"{path}.{name}", value, depth + 1))
            elif depth < 2 and isinstance(value, (list, tuple)) and len(value) < 20:
                waiting += [(f"{path}.{name}[{index}]", item, depth + 1) for index, item in enumerate(value) if hasattr(item, "__dict__")]
        for method in ("__getitem__", "__iter__", "__call__"):
            function = getattr(type(thing), method, None)
            code = getattr(function, "__code__", None)
            if code is None or not is_users(code.co_filename):
                continue
            for name in code.co_names:
                value = function.__globals__.get(name)
                if _is_generator(value):
                    yield name, value, _global_assignment(code.co_filename, name)


def _assignment(kind: type, attribute: str) -> Location | None:
    """Finds `self.<attribute> = …` in a class: only when a finding is likely, since it reads the source."""
    try:
        lines, first = inspect.getsourcelines(kind)
        path = inspect.getsourcefile(kind) or ""
        import textwrap

        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return None
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if any(isinstance(target, ast.Attribute) and target.attr == attribute for target in targets):
            indent = len(lines[0]) - len(lines[0].lstrip())
            return Location(
                path=path,
                line=first + node.lineno - 1,
                column=node.col_offset + indent + 1,
                end_line=first + (node.end_lineno or node.lineno) - 1,
                end_column=(node.end_col_offset or 0) + indent + 1,
                function=kind.__qualname__,
            )
    return None


def _global_assignment(path: str, name: str) -> Location | None:
    import linecache

    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return Location(path=path, line=node.lineno, column=node.col_offset + 1, end_line=node.end_lineno or node.lineno, end_column=(node.end_col_offset or 0) + 1)
    return None


def begin(dataset: Any, worker: int, loader: str, epoch: int) -> None:
    """Remembers the generators' states as this worker was given them, after its own seeding has run."""
    _worker[0], _loader[0], _epoch[0] = worker, loader, epoch
    _watched.clear()
    for name, generator, _ in generators(dataset):
        _watched[name] = generator, _digest(generator)


def fetched(dataset: Any) -> None:
    """After the worker's first batch: tells the parent which generators were drawn from, and from which state."""
    if not _watched or live.worker is None:
        return
    places = {name: made for name, _, made in generators(dataset)}
    for name, (generator, digest) in _watched.items():
        if _digest(generator) != digest:
            live.worker.watch.send(
                RandomState(
                    generator=name,
                    kind=type(generator).__name__,
                    loader=_loader[0],
                    worker=_worker[0],
                    epoch=_epoch[0],
                    digest=digest,
                    drawn=True,
                    made=places.get(name),
                )
            )
    _watched.clear()
