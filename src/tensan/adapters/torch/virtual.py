"""What a fix amounts to in recorded training: other operations in its passes, another order of what its loop does, other parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from tensan.adapters.torch.journal import Backward, Clear, Clip, Event, Journal, Key, Pass, Step
from tensan.adapters.torch.tape import Refused
from tensan.adapters.torch.template import Instead
from tensan.adapters.torch.twin import Edits, as_recorded
from tensan.core.asks import Change, Intervention
from tensan.core.events.recorded import Layer
from tensan.core.events.things import Operation
from tensan.core.operations import EXPAND, ancestors


class Virtual(NamedTuple):
    """Training as the program is written, and with the fix.

    Attributes:
        written, mended: what is done otherwise than was recorded in the passes of either.
        events: what the loop of the mended one does.
        added: parameters that optimizers of the mended one hold beside their own.
        measured: what is done otherwise where both are measured.
    """

    written: Edits
    mended: Edits
    measured: Edits
    events: Sequence[Event]
    added: Mapping[str, Sequence[Key]] = {}


def virtual(fix: Intervention, journal: Journal, events: Sequence[Event]) -> Virtual:
    """Translates a fix.

    Args:
        fix: the intervention that stands for it.
        journal: what was recorded.
        events: what the program's loop did.

    Raises:
        Refused: where it cannot be done to what was recorded.
    """
    match fix.change, fix.subject:
        case Change.ADD, optimizer:
            missing = _missing(fix, journal, optimizer)
            return Virtual(as_recorded, as_recorded, evaluated, list(_cleared_too(events, missing)), {optimizer: missing})
        case Change.CLEAR, optimizer:
            return Virtual(as_recorded, as_recorded, evaluated, list(_cleared_after(events, optimizer, journal)))
        case Change.MOVE, "clip":
            return Virtual(as_recorded, as_recorded, evaluated, _clipped_before(events))
        case Change.DROP, "step":
            return Virtual(as_recorded, as_recorded, evaluated, list(_stepped_once(events)))
        case Change.DROP, "clip":
            return Virtual(
                as_recorded, as_recorded, evaluated, [each for each in events if not (isinstance(each, Clip) and each.limit == 0)]
            )
        case Change.SET_MODE, "mode":
            if not any(evaluated(one) for one in journal.passes):
                raise Refused("no recorded pass works in train mode")
            return Virtual(evaluated, as_recorded, evaluated, events)
        case Change.DROP | Change.SQUEEZE | Change.REPLACE | Change.CONNECT, "operation":
            edits = _OF_OPERATIONS[fix.change](fix.settings)
            found = {one.site for one in journal.passes if edits(one)}
            if not found or not all(edits(one) for one in journal.passes if one.site in found):
                raise Refused("the operation is not in every recorded pass of its loss")
            return Virtual(as_recorded, edits, lambda one: {**evaluated(one), **edits(one)}, events)
    raise Refused(f"recorded training cannot be changed so: {fix.change} {fix.subject}")


# ---- what the loop does ----


def _cleared_after(events: Sequence[Event], optimizer: str, journal: Journal) -> Iterator[Event]:
    """Yields what the loop does with the gradients of one optimizer cleared after its steps and nowhere else; others keep theirs."""
    held = journal.optimizers.get(optimizer)
    owned = {key for group in held.groups for key in group} if held is not None else set()
    for event in events:
        if isinstance(event, Clear):
            rest = tuple(key for key in event.parameters or journal.values if key not in owned)
            if rest:
                yield Clear(rest)
            continue
        yield event
        if isinstance(event, Step) and event.optimizer == optimizer:
            yield Clear(tuple(owned))


def _cleared_too(events: Sequence[Event], missing: tuple[Key, ...]) -> Iterator[Event]:
    for event in events:
        yield Clear(event.parameters + missing) if isinstance(event, Clear) else event


def _clipped_before(events: Sequence[Event]) -> list[Event]:
    found: list[Event] = []
    for event in events:
        found.append(event)
        if isinstance(event, Clip):
            late = next((at for at in range(len(found) - 2, -1, -1) if isinstance(found[at], (Step, Backward))), -1)
            if late >= 0 and isinstance(found[late], Step):
                found.insert(late, found.pop())
    return found


def _stepped_once(events: Sequence[Event]) -> Iterator[Event]:
    stepped: set[str] = set()
    for event in events:
        if isinstance(event, Backward):
            stepped.clear()
        if isinstance(event, Step):
            if event.optimizer in stepped:
                continue
            stepped.add(event.optimizer)
        yield event


def _missing(fix: Intervention, journal: Journal, optimizer: str) -> tuple[Key, ...]:
    wanted = fix.settings["parameters"]
    assert isinstance(wanted, tuple)
    held = journal.optimizers.get(optimizer)
    if held is None:
        raise Refused("its optimizer did not step in the recorded steps")
    owned = {key for group in held.groups for key in group}
    keys = tuple(key for key, name in journal.ids.items() if name in wanted and key not in owned and key in journal.values)
    if len(keys) != len(wanted):
        raise Refused("its parameters are not in every recorded pass")
    return keys


# ---- what passes compute ----


def evaluated(one: Pass) -> dict[int, Instead]:
    """Switches to what a pass computes in eval mode: dropout passes everything, batch norm takes the running statistics."""
    edits: dict[int, Instead] = {}
    for operation, play in zip(one.operations, one.template.plays, strict=True):
        name = play.function._schema.name.rpartition("::")[2]
        if name == "native_batch_norm" and play.arguments[5] is True and play.arguments[3] is not None:
            edits[operation.index] = _with(5, False)
        elif name == "native_dropout" and play.arguments[2] is not False:
            edits[operation.index] = _with(2, False)
        elif name == "bernoulli_" and _is_dropout(one, operation):
            edits[operation.index] = _filled
    return edits


def _with(position: int, value: object) -> Instead:
    def call(function: Callable[..., Any], arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
        return function(*arguments[:position], value, *arguments[position + 1 :], **keywords)

    return call


def _filled(_function: Callable[..., Any], arguments: Sequence[Any], _keywords: dict[str, Any]) -> Any:
    """Gives each place of a dropout's noise the share of those that it keeps, by which it is about to be divided."""
    return arguments[0].fill_(arguments[1])


def _is_dropout(one: Pass, operation: Operation) -> bool:
    plays = one.template.plays
    after = plays[operation.index + 1] if operation.index + 1 < len(plays) else None
    divides = after is not None and after.function._schema.name == "aten::div_"
    return divides and after is not None and after.arguments[1:2] == plays[operation.index].arguments[1:2]


def _same(operation: Operation, other: Operation) -> bool:
    """Tells whether an operation of another pass is the same one of the program."""
    return (operation.name, operation.site, _layer(operation)) == (other.name, other.site, _layer(other))


def _layer(operation: Operation) -> str:
    layer = operation.settings.get("layer")
    return layer.id if isinstance(layer, Layer) else ""


def _found(settings: Mapping[str, object]) -> Callable[[Pass], list[Operation]]:
    operation = settings["operation"]
    assert isinstance(operation, Operation)
    return lambda one: [other for other in one.operations if _same(operation, other)]


def _dropped(settings: Mapping[str, object]) -> Edits:
    found = _found(settings)
    return lambda one: {operation.index: _through for operation in found(one)}


def _replaced(settings: Mapping[str, object]) -> Edits:
    """Takes a softmax over another axis."""
    found, axis = _found(settings), settings["axis"]
    return lambda one: {operation.index: _with(1, axis) for operation in found(one)}


def _squeezed(settings: Mapping[str, object]) -> Edits:
    """Gives the operands of an operation one shape, those that it repeats along an axis as they were before."""
    found = _found(settings)

    def edits(one: Pass) -> dict[int, Instead]:
        changes: dict[int, Instead] = {}
        for operation in found(one):
            changes[operation.index] = _flattened
            for value in operation.inputs:
                maker = one.operations[value.producer] if value.producer >= 0 else None
                if maker is not None and maker.name in EXPAND and maker.site == operation.site:
                    changes[maker.index] = _through
        return changes

    return edits


def _flattened(function: Callable[..., Any], arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
    tensors = [item for item in arguments if isinstance(item, torch.Tensor)]
    shape = min((tensor.shape for tensor in tensors[:2]), key=len)
    return function(*[item.reshape(shape) if isinstance(item, torch.Tensor) else item for item in arguments], **keywords)


def _connected(settings: Mapping[str, object]) -> Edits:
    """Lets gradient flow from the loss back to parameters."""
    wanted = settings["parameters"]
    assert isinstance(wanted, tuple)

    def edits(one: Pass) -> dict[int, Instead]:
        made = one.template.loss
        on_the_way = set(ancestors(one.operations, [made.operation])) if made is not None else set()
        reached: set[int] = set()
        changes: dict[int, Instead] = {}
        for operation in one.operations:
            if any(value.subject in wanted or value.producer in reached for value in operation.inputs):
                reached.add(operation.index)
                if operation.index in on_the_way and (not operation.gradients or operation.name == "detach"):
                    changes[operation.index] = _through if operation.name == "detach" else _with_gradient
        return changes

    return edits


def _through(_function: Callable[..., Any], arguments: Sequence[Any], _keywords: dict[str, Any]) -> Any:
    return arguments[0]


def _with_gradient(function: Callable[..., Any], arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
    with torch.enable_grad():
        return function(*arguments, **keywords)


_OF_OPERATIONS: dict[Change, Callable[[Mapping[str, object]], Edits]] = {
    Change.DROP: _dropped,
    Change.SQUEEZE: _squeezed,
    Change.REPLACE: _replaced,
    Change.CONNECT: _connected,
}
