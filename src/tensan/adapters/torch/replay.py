"""Answers asks by playing the tail of a recorded step again: the operations from the model's output to the loss.

No Python of the user runs; every tensor is a detached alias. First the tail is played unchanged, and only where the loss
comes back bit for bit is anything concluded.
"""

from __future__ import annotations

from typing import Any

import torch

from tensan.adapters.torch.names import RANDOM, neutral
from tensan.adapters.torch.nested import tensors_of
from tensan.adapters.torch.trace import Kept, Trace, key_of
from tensan.core.asks import Answer, Ask, Change, Measure
from tensan.core.operations import EXPAND, LAYOUT


def answer(trace: Trace | None, loss: Any, ask: Ask) -> Answer:
    """Permutes one input of one recorded operation along the batch and tells how much the gradient of the others changes.

    The subject is `operation:INDEX:POSITION`, the setting `begin` the first operation that must be played. The value is the norm of
    the gradient's change relative to its norm.
    """

    def cannot(why: str) -> Answer:
        return Answer(ask=ask, why_not=why)

    if (ask.intervention.change, ask.intervention.subject, ask.measure) == (Change.NOISE, "outputs", Measure.LOSS):
        return _without_effect(trace, loss, ask)
    if ask.intervention.change is not Change.PERMUTE or ask.measure is not Measure.GRADIENT:
        return cannot("this intervention comes with a later version")
    _, _, rest = ask.intervention.subject.partition("operation:")
    index, _, position = rest.partition(":")
    if not index.isdigit() or not position.isdigit():
        return cannot(f"no recorded operation is called {ask.intervention.subject}")
    if trace is None or loss is None:
        return cannot("no step is recorded")
    tail = trace.kept
    where = next((number for number, kept in enumerate(tail) if kept.index == int(index)), None)
    if where is None:
        return cannot("only operations between the model's output and the loss are kept")
    operands = [item for item in tail[where].arguments if isinstance(item, torch.Tensor)]
    if int(position) >= len(operands):
        return cannot("there is nothing to permute")
    target, where = _before_layout(tail, where, operands[int(position)])
    first = min(tail[where].index, int(str(ask.intervention.settings.get("begin", tail[where].index))))
    tail = [kept for kept in tail if kept.index >= first]
    refused = _refusal(tail)
    tail = _needed(tail, loss)
    if refused := refused or ("the loss writes into a tensor" if any(kept.function._schema.is_mutable for kept in tail) else ""):
        return cannot(refused)
    if target.dim() == 0 or target.shape[0] < 2:
        return cannot("there is nothing to permute")
    with torch.enable_grad(), _no_autocast(loss):
        plain_loss, plain = _play(tail, target, target, loss)
        if plain_loss is None or not torch.equal(plain_loss, loss.detach()):
            return cannot("the unchanged replay did not come back bit for bit")
        moved = target.detach().roll(1, 0)
        if torch.equal(moved, target.detach()):
            return cannot("permuting changes no value")
        _, changed = _play(tail, target, moved, loss)
    if plain is None or changed is None or not plain:
        return cannot("nothing differentiable is compared with it")
    before = torch.cat([gradient.reshape(-1) for gradient in plain])
    after = torch.cat([gradient.reshape(-1) for gradient in changed])
    norm = float(before.double().norm())
    if norm == 0:
        return cannot("the gradient is zero")
    return Answer(ask=ask, value=float((after.double() - before.double()).norm()) / norm)


def _needed(tail: list[Kept], loss: Any) -> list[Kept]:
    """Returns the operations that the loss is made of, and those that write to the memory of any of them; a meter beside it is left out."""
    memory = {key_of(loss)[0]}
    chosen: set[int] = set()
    while True:
        added = [
            number
            for number, kept in enumerate(tail)
            if number not in chosen and any(key_of(item)[0] in memory for item in tensors_of(kept.output))
        ]
        if not added:
            return [kept for number, kept in enumerate(tail) if number in chosen]
        chosen.update(added)
        for number in added:
            memory |= {key_of(item)[0] for item in tensors_of([*tail[number].arguments, *tail[number].keywords.values()])}


def _refusal(tail: list[Kept]) -> str:
    """Returns why operations cannot be played again."""
    for kept in tail:
        aten = kept.function._schema.name.rpartition("::")[2]
        if aten in RANDOM:
            return "the loss draws random numbers"
        if aten == "_local_scalar_dense":
            return "the program reads a value on the host"
    return ""


def _without_effect(trace: Trace | None, loss: Any, ask: Ask) -> Answer:
    """Puts noise in the place of all that the model has given, as large as anything in the loss, and tells how much the loss changes.

    The value is relative to the largest value on the way to the loss; `operation` is the first whose result no longer changes.
    """
    refused = "no step is recorded" if trace is None or loss is None else _refusal(trace.kept)
    if refused or trace is None or loss is None:
        return Answer(ask=ask, why_not=refused)
    made = {key_of(item) for kept in trace.kept for item in tensors_of(kept.output)}
    given: dict[tuple[Any, ...], Any] = {}
    for item in (item for kept in trace.kept for item in tensors_of([*kept.arguments, *kept.keywords.values()])):
        if item.requires_grad and not item.is_leaf and key_of(item) not in made:
            given[key_of(item)] = item.detach()
    if not given:
        return Answer(ask=ask, why_not="the model's output does not go into the loss")
    with torch.no_grad(), _no_autocast(loss):
        plain = _values(trace.kept, given)
        if key_of(loss) not in plain or not torch.equal(plain[key_of(loss)], loss.detach()):
            return Answer(ask=ask, why_not="the unchanged replay did not come back bit for bit")
        largest = max((float(item.abs().max()) for item in plain.values() if item.is_floating_point() and item.numel()), default=0.0)
        generator = torch.Generator(device=loss.device).manual_seed(0)
        noisy = {
            key: torch.empty_like(item).normal_(0.0, max(largest, 1e-3), generator=generator)
            for key, item in given.items()
            if item.is_floating_point()
        }
        changed = _values(trace.kept, noisy)
    value = _apart(plain, changed, key_of(loss), largest)
    first = _unmoved(trace.kept, frozenset(noisy), plain, changed, largest) if value <= _ROUNDING else -1
    return Answer(ask=ask, value=value, details={"operation": first})


#: What rounding makes of a value that stays as it is, relative to the largest on the way.
_ROUNDING = 1e-5


def _unmoved(tail: list[Kept], noisy: frozenset[Any], plain: dict[Any, Any], changed: dict[Any, Any], largest: float) -> int:
    """Returns the first operation that was given something changed and gave what it had given before; -1 where there is none."""

    def moved(key: Any) -> bool:
        return _apart(plain, changed, key, largest) > _ROUNDING

    for kept in tail:
        given = map(key_of, tensors_of([*kept.arguments, *kept.keywords.values()]))
        if any(key in noisy or moved(key) for key in given) and not any(moved(key_of(item)) for item in tensors_of(kept.output)):
            return kept.index
    return -1


def _apart(plain: dict[Any, Any], changed: dict[Any, Any], key: Any, largest: float) -> float:
    if key not in plain or not plain[key].numel():
        return 0.0
    difference = (plain[key].double() - changed[key].double()).abs().max()
    return float(difference) / max(largest, 1e-12) if bool(difference.isfinite()) else float("inf")


def _values(tail: list[Kept], given: dict[Any, Any]) -> dict[Any, Any]:
    """Plays operations without a graph, on copies, into which they may write; returns what each gave."""
    values = {key: item.clone() for key, item in given.items()}

    def of(item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            if key_of(item) not in values:
                values[key_of(item)] = item.detach().clone()
            return values[key_of(item)]
        return type(item)(of(inner) for inner in item) if isinstance(item, (list, tuple)) else item

    found: dict[Any, Any] = {}
    for kept in tail:
        output = kept.function(*[of(item) for item in kept.arguments], **{name: of(item) for name, item in kept.keywords.items()})
        for old, new in zip(tensors_of(kept.output), tensors_of(output), strict=True):
            values[key_of(old)] = found[key_of(old)] = new
    return found


def _before_layout(tail: list[Kept], where: int, tensor: Any) -> tuple[Any, int]:
    """Follows a tensor back to what it was before it was expanded or re-laid out, and to the first operation on that way."""
    for number in range(where - 1, -1, -1):
        kept = tail[number]
        name = neutral(kept.function._schema.name)
        if name in LAYOUT | EXPAND and isinstance(kept.output, torch.Tensor) and key_of(kept.output) == key_of(tensor):
            tensor, where = kept.arguments[0], number
    return tensor, where


def _play(tail: list[Kept], target: Any, replacement: Any, loss: Any) -> tuple[Any, list[Any] | None]:
    """Plays operations on detached aliases; returns the loss and the gradients of the leaves it began with."""
    values: dict[tuple[Any, ...], Any] = {}
    begun: list[Any] = []
    target_key = key_of(target)

    def of(item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            key = key_of(item)
            if key not in values:
                if key == target_key:
                    values[key] = replacement.detach()
                else:
                    alias = item.detach()
                    if item.requires_grad:
                        alias.requires_grad_()
                        begun.append(alias)
                    values[key] = alias
            return values[key]
        if isinstance(item, (list, tuple)):
            return type(item)(of(inner) for inner in item)
        return item

    result = None
    loss_key = key_of(loss)
    for kept in tail:
        output = kept.function(*[of(item) for item in kept.arguments], **{name: of(item) for name, item in kept.keywords.items()})
        several = isinstance(output, (list, tuple))
        for old, new in zip(kept.output, output, strict=True) if several else [(kept.output, output)]:
            if isinstance(old, torch.Tensor) and kept.function._schema.name != "aten::detach":
                values[key_of(old)] = new
        result = values.get(loss_key, result)
    if result is None or not result.requires_grad or not begun:
        return (None if result is None else result.detach()), None
    gradients = torch.autograd.grad(result, begun, grad_outputs=torch.ones_like(result), allow_unused=True)
    return result.detach(), [
        torch.zeros_like(leaf) if gradient is None else gradient for leaf, gradient in zip(begun, gradients, strict=True)
    ]


def _no_autocast(loss: Any) -> Any:
    return torch.autocast(loss.device.type, enabled=False)
