"""A layer whose constructor refuses its sizes, such as heads that do not divide a width: the nearest sizes that it takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from torch import nn

from tensan.adapters.torch.crashes.frames import Step
from tensan.adapters.torch.crashes.graphs import Told
from tensan.adapters.torch.crashes.makers import Makers
from tensan.adapters.torch.crashes.trials import quiet
from tensan.core.edits import Repair, replacing
from tensan.core.events.run import Raised
from tensan.core.sites import Place

#: Sizes that are tried for one argument.
MOST_TRIED = 64


def constructor_told(steps: list[Step], makers: Makers, message: str, tell: Told) -> Raised | None:
    """Returns which sizes a layer of the framework's cannot be built with."""
    user = next((at for at in range(len(steps) - 1, -1, -1) if steps[at].is_users), None)
    call = steps[user].node() if user is not None else None
    if user is None or user + 1 >= len(steps) or not isinstance(call, ast.Call) or any(isinstance(arg, ast.Starred) for arg in call.args):
        return None
    step, layer = steps[user + 1], steps[user + 1].names.get("self")
    kind = type(layer)
    if step.function != "__init__" or not isinstance(layer, nn.Module) or not kind.__module__.startswith("torch.nn.modules"):
        return None
    names = step.code.co_varnames[1 : step.code.co_argcount]
    given = {name: step.names[name] for name in names if name in step.names}
    sizes = {name: value for name, value in given.items() if type(value) is int and value > 1}
    if _builds(kind, given):
        return None
    nodes = {name: node for number, name in enumerate(names) if (node := makers.argument_node(user, number, name)) is not None}
    repairs = [
        Repair(text=f"`{name}={size}` for {kind.__name__}", edits=(replacing(steps[user].path, nodes[name], str(size)),))
        for name, size in _nearest(kind, given, sizes)
        if name in nodes
    ]
    changed = {repair.text[1:].split("=")[0] for repair in repairs}
    causes: list[tuple[str, Place]] = []
    for name in sizes:
        maker = makers.of(user, nodes[name]) if name in nodes and name in changed else None
        if maker is not None:
            causes.append((f"`{name}` is {sizes[name]}, given here", maker.made))
    return tell(
        "shape",
        operation=f"{kind.__name__}({', '.join(f'{name}={value}' for name, value in sizes.items())})",
        detail=message.splitlines()[0] if message else "",
        causes=tuple(causes),
        repairs=tuple(repairs[:3]),
    )


def _nearest(kind: type, given: dict[str, Any], sizes: dict[str, int]) -> Iterator[tuple[str, int]]:
    """Yields for each size the nearest other one that the layer is built with: a divisor or a multiple is no further than that."""
    for name, value in sorted(sizes.items(), key=lambda item: item[1]):
        for far in range(1, min(value, MOST_TRIED)):
            found = next((size for size in (value - far, value + far) if size > 1 and _builds(kind, {**given, name: size})), None)
            if found is not None:
                yield name, found
                break


def _builds(kind: type, given: dict[str, Any]) -> bool:
    try:
        with quiet():
            kind(**{**given, "device": "meta"})
    except Exception:  # noqa: BLE001 - that it raises is the answer
        return False
    return True
