"""Finds the first operation of a played template that makes NaN or Inf, forward and backward apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from tensan.adapters.torch.names import neutral
from tensan.adapters.torch.template import Made, Outside, Template, results

#: Are given minus infinity for what they must not look at.
_TAKES_MASKS = frozenset({"softmax", "log_softmax", "logsumexp", "attention", "nll_loss"})


class State(NamedTuple):
    """What is not finite in a tensor."""

    nan: bool
    inf: bool

    @property
    def bad(self) -> bool:
        return self.nan or self.inf


FINE = State(False, False)


class Origin(NamedTuple):
    """Where the first non-finite value comes from.

    Attributes:
        kind: `forward`, `backward`, or `outside` for a value that was not finite before any operation.
        operation: number on the template; external: number among the tensors from outside.
        meant: the operation that put an infinity in on purpose, as a mask does, where one is involved.
        hidden: whether the loss does not show it.
        share: of the result, or of the outgoing gradient; rows: where, along the first axis, and how many of them.
    """

    kind: str
    operation: int = -1
    external: int = -1
    meant: int = -1
    hidden: bool = False
    share: float = 0.0
    rows: tuple[int, ...] = ()
    num_rows: int = 0
    of_rows: int = 0


class Outcome(NamedTuple):
    """What playing a template has shown: the loss, the numbers of the leaves whose gradient is not finite, and where that comes from."""

    loss: Any
    leaves: frozenset[int]
    origin: Origin | None


class _Met(NamedTuple):
    made: State
    given: tuple[State, ...]
    finite_share: float
    rows: tuple[int, ...]
    num_rows: int
    of_rows: int


def state(tensor: Any) -> State:
    """Looks at a tensor's values."""
    if not isinstance(tensor, torch.Tensor) or not (tensor.is_floating_point() or tensor.is_complex()) or tensor.numel() == 0:
        return FINE
    values = tensor.detach()
    if bool(torch.isfinite(values).all()):
        return FINE
    return State(bool(torch.isnan(values).any()), bool(torch.isinf(values).any()))


def run(template: Template, tensors: Sequence[Any]) -> Outcome:
    """Plays a template forward and backward on the given tensors and follows what is not finite back to its origin."""
    assert template.loss is not None
    aliases = template.aliases(tensors)
    met: dict[int, _Met] = {}
    given_before: dict[int, tuple[State, ...]] = {}
    nodes: dict[Any, int] = {}

    def before(index: int, operands: list[Any]) -> None:
        given_before[index] = tuple(map(state, operands))

    def after(index: int, operands: list[Any], output: Any) -> None:
        outputs = results(output)
        for tensor in outputs:
            if tensor.grad_fn is not None:
                nodes.setdefault(tensor.grad_fn, index)
        if template.plays[index].function._schema.name.startswith(("aten::empty", "aten::new_empty")):
            return  # memory that nobody has written to yet
        states = [state(tensor) for tensor in outputs]
        if any(one.bad for one in states):
            worst = next(tensor for tensor, one in zip(outputs, states, strict=True) if one.bad)
            given = given_before.get(index) or tuple(map(state, operands))
            joined = State(any(one.nan for one in states), any(one.inf for one in states))
            met[index] = _Met(joined, given, *_where(worst))

    values = template.play(aliases, before=before, after=after)
    loss = template.result(values)
    if not loss.requires_grad or loss.numel() != 1:
        return Outcome(loss.detach(), frozenset(), None)
    sent: list[tuple[Any, bool, tuple[bool, ...], Any]] = []

    def listen(node: Any) -> Any:
        def hook(outgoing: Any, incoming: Any) -> None:
            bad = tuple(state(gradient).bad for gradient in outgoing)
            worst = next((gradient for gradient, one in zip(outgoing, bad, strict=True) if one), None)
            entered = any(state(gradient).bad for gradient in incoming)
            sent.append((node, entered, bad, _where(worst) if worst is not None and not entered else None))

        return hook

    handles = [node.register_hook(listen(node)) for node in _all_nodes(loss.grad_fn)]
    leaves = [number for number, alias in enumerate(aliases) if alias.requires_grad]
    try:
        gradients = torch.autograd.grad(loss, [aliases[number] for number in leaves], grad_outputs=torch.ones_like(loss), allow_unused=True)
    finally:
        for handle in handles:
            handle.remove()
    bad = frozenset(number for number, gradient in zip(leaves, gradients, strict=True) if gradient is not None and state(gradient).bad)
    if state(loss).bad:
        return Outcome(loss.detach(), bad, _followed(template, met, template.loss, aliases, hidden=False))
    return Outcome(loss.detach(), bad, _in_backward(template, met, sent, nodes, {id(aliases[number]) for number in bad}, aliases))


def _all_nodes(start: Any) -> list[Any]:
    seen, waiting = {start}, [start]
    while waiting:
        for following, _ in waiting.pop().next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return [node for node in seen if getattr(node, "variable", None) is None]


def _where(tensor: Any) -> tuple[float, tuple[int, ...], int, int]:
    broken = ~torch.isfinite(tensor.detach())
    share = float(broken.double().mean())
    if broken.dim() == 0:
        return share, (), 0, 0
    rows = broken.reshape(len(broken), -1).any(1).nonzero().reshape(-1)
    return share, tuple(rows.tolist()), len(rows), len(broken)


def _followed(template: Template, met: dict[int, _Met], place: Made | Outside, aliases: Sequence[Any], *, hidden: bool) -> Origin | None:
    """Follows a value that is not finite back to what made it.

    NaN is followed before Inf. Where NaN is made of an infinity, as by 0 · inf, what made the infinity is to blame, unless that was
    put there on purpose: then it is the operation that could not take it.
    """
    path: list[int] = []
    nan_maker = -1
    seeks_nan = _is_nan(met, place, aliases)
    while True:
        if isinstance(place, Outside):
            return _from_outside(template, met, place, nan_maker, path, aliases, hidden=hidden)
        found = met.get(place.operation)
        if found is None:
            return None
        index = place.operation
        path.append(index)
        places = template.places(index)
        if len(places) != len(found.given):
            return None
        following = next((where for where, one in zip(places, found.given, strict=True) if (one.nan if seeks_nan else one.bad)), None)
        if following is None and seeks_nan:
            nan_maker, seeks_nan = index, False
            following = next((where for where, one in zip(places, found.given, strict=True) if one.bad), None)
        if following is None:
            if _puts_infinity(template, index):
                culprit = nan_maker if nan_maker >= 0 else path[0]
                return _made(met, culprit, meant=index, hidden=hidden)
            return _made(met, index, hidden=hidden)
        place = following


def _is_nan(met: dict[int, _Met], place: Made | Outside, aliases: Sequence[Any]) -> bool:
    if isinstance(place, Outside):
        return state(aliases[place.number]).nan
    found = met.get(place.operation)
    return found is not None and found.made.nan


def _from_outside(
    template: Template, met: dict[int, _Met], place: Outside, nan_maker: int, path: list[int], aliases: Sequence[Any], *, hidden: bool
) -> Origin | None:
    external = template.externals[place.number]
    if external.subject is None and not external.requires_grad and _is_mask(template, aliases[place.number], nan_maker):
        # To blame is what could not take it.
        culprit = nan_maker if nan_maker >= 0 else path[0] if path else -1
        return _made(met, culprit, meant=path[-1] if path else -1, hidden=hidden) if culprit >= 0 else None
    share, rows, num_rows, of_rows = _where(aliases[place.number])
    return Origin(
        "outside",
        operation=path[-1] if path else -1,
        external=place.number,
        hidden=hidden,
        share=share,
        rows=rows,
        num_rows=num_rows,
        of_rows=of_rows,
    )


def _is_mask(template: Template, tensor: Any, nan_maker: int) -> bool:
    """Tells whether a tensor from outside holds minus infinity on purpose: to close positions for a softmax."""
    found = state(tensor)
    if found.nan or bool((tensor == torch.inf).any()):
        return False
    return nan_maker < 0 or neutral(template.plays[nan_maker].function._schema.name) in _TAKES_MASKS


def _made(met: dict[int, _Met], index: int, *, meant: int = -1, hidden: bool) -> Origin:
    found = met[index]
    return Origin(
        "forward",
        operation=index,
        meant=meant,
        hidden=hidden,
        share=found.finite_share,
        rows=found.rows,
        num_rows=found.num_rows,
        of_rows=found.of_rows,
    )


def _puts_infinity(template: Template, index: int) -> bool:
    """Tells whether an operation is given an infinity as a plain number."""

    def infinite(item: Any) -> bool:
        if type(item) is float:
            return not math.isfinite(item)
        return type(item) in (list, tuple) and any(map(infinite, item))

    play = template.plays[index]
    return infinite(play.arguments) or any(map(infinite, play.keywords.values()))


def _in_backward(
    template: Template,
    met: dict[int, _Met],
    sent: list[tuple[Any, bool, tuple[bool, ...], Any]],
    nodes: dict[Any, int],
    bad: set[int],
    aliases: Sequence[Any],
) -> Origin | None:
    """Follows the broken gradients from the leaves towards the loss, to the node that was given finite ones."""
    broken: set[Any] = set()
    first = None
    for node, entered, outgoing, where in reversed(sent):
        follows = False
        for (following, _), one in zip(node.next_functions, outgoing, strict=False):
            leaf = getattr(following, "variable", None) if following is not None else None
            follows = follows or (one and (following in broken or (leaf is not None and id(leaf) in bad)))
        if follows and not entered:
            first = node, where
        elif follows:
            broken.add(node)
    if first is None or first[0] not in nodes:
        return None
    node, where = first
    index = nodes[node]
    operands = template.operands(index, aliases)
    places = template.places(index)
    if len(operands) == len(places) and not template.plays[index].writes:
        for place, operand in zip(places, operands, strict=True):
            if state(operand).bad:  # a gradient of zero times this is NaN: to blame is what made it
                found = _followed(template, met, place, aliases, hidden=True)
                if found is not None and found.operation != index and found.meant < 0:
                    return found
    share, rows, num_rows, of_rows = where
    return Origin("backward", operation=index, hidden=index in met, share=share, rows=rows, num_rows=num_rows, of_rows=of_rows)
