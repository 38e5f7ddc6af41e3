"""Answers asks by playing the tail of a recorded step again: the operations from the model's output to the loss.

No Python of the user runs; every tensor is a detached alias. First the tail is played unchanged, and only where the loss
comes back bit for bit is anything concluded.
"""

from __future__ import annotations

from typing import Any

import torch

from tensan.adapters.torch.names import RANDOM, neutral
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
    for kept in tail:
        aten = kept.function._schema.name.rpartition("::")[2]
        if aten in RANDOM:
            return cannot("the loss draws random numbers")
        if aten == "_local_scalar_dense":
            return cannot("the program reads a value on the host")
        if kept.function._schema.is_mutable:
            return cannot("the loss writes into a tensor")
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
