"""Where a value of a recorded step came from: what made it, the lines it went through, the parameters and the data behind it."""

from __future__ import annotations

import msgspec

from tensan.core.events.things import Value
from tensan.core.events.training import Loss
from tensan.core.operations import LAYOUT, ancestors, behind_layout
from tensan.core.sites import Place, Site


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """All that lies behind one value.

    Attributes:
        lines: the lines that it went through, the nearest first, each with the operations that ran there.
        parameters: names of the parameters that it was computed from.
        outside: what it was computed from that was there before the recorded step, such as a batch.
    """

    value: Value
    lines: tuple[tuple[Place, tuple[str, ...]], ...] = ()
    parameters: tuple[str, ...] = ()
    outside: tuple[Value, ...] = ()


def origin(loss: Loss, value: Value) -> Origin:
    """Follows a value back to what the recorded step began with."""
    names = {leaf.id: leaf.name for leaf in loss.leaves}
    lines: dict[object, tuple[Place, dict[str, None]]] = {}
    parameters: dict[str, None] = {}
    outside: dict[str, Value] = {}

    def began_with(given: Value) -> None:
        if (given.subject or "").startswith("parameter"):
            parameters[names.get(given.subject or "") or given.subject or ""] = None
        elif given.producer < 0:
            outside.setdefault(f"{given.subject} {given}", given)

    began_with(value)
    for index in ancestors(loss.operations, [value.producer]):
        operation = loss.operations[index]
        line = operation.site.key if isinstance(operation.site, Site) else operation.site
        lines.setdefault(line, (operation.site, {}))[1][operation.name] = None
        for given in operation.inputs:
            began_with(given)
    return Origin(
        value=value,
        lines=tuple((place, tuple(operations)) for place, operations in lines.values()),
        parameters=tuple(parameters),
        outside=tuple(outside.values()),
    )


def maker(loss: Loss, value: Value) -> tuple[str, Place]:
    """Returns what computed a value, through layout alone, in the words of its module where a parameter tells them."""
    index = value.producer
    while index >= 0 and loss.operations[index].name in LAYOUT and loss.operations[index].inputs:
        index = loss.operations[index].inputs[0].producer
    if index < 0:
        return "", None
    operation = loss.operations[index]
    leaves = {leaf.id: leaf for leaf in loss.leaves}
    for given in operation.inputs:
        leaf = leaves.get(behind_layout(loss.operations, given).subject or "")
        if leaf is not None and leaf.module:
            return leaf.module, operation.site
    return f"`{operation.name}`", operation.site
