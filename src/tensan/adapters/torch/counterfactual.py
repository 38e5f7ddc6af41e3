"""Plays a template with one thing changed, to prove what broke a gradient: finite values put in place, samples taken out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from tensan.adapters.torch import nonfinite
from tensan.adapters.torch.names import neutral
from tensan.adapters.torch.template import Made, Outside, Template, results

#: Replays that the search for samples may take.
MOST_REPLAYS = 8
#: An operation whose largest result is so many times its largest operand has made it large.
GROWTH = 1e3
#: No weight is that large in a training that has not diverged.
LARGE_WEIGHT = 1e6
#: What is called large, as a part of the largest value of its type, in powers of it.
LARGE = 0.4


def breaks(template: Template, tensors: Sequence[Any], *, edit: tuple[int, Callable[[int, Any], Any]] | None = None) -> bool:
    """Tells whether any gradient is not finite where an operation's tensors are edited."""
    assert template.loss is not None
    devices = sorted({tensor.device.index or 0 for tensor in tensors if tensor.is_cuda})
    with torch.random.fork_rng(devices=devices), torch.enable_grad():
        aliases = template.aliases(tensors)
        values = template.play(aliases, edit=edit)
        loss = results(values[template.loss.operation])[template.loss.number]
        if not loss.requires_grad:  # all that is differentiated goes through the operation whose tensors were edited
            return nonfinite.state(loss).bad
        leaves = [alias for alias in aliases if alias.requires_grad]
        gradients = torch.autograd.grad(loss, leaves, allow_unused=True)
    return any(gradient is not None and nonfinite.state(gradient).bad for gradient in gradients)


def is_cured(template: Template, tensors: Sequence[Any], origin: nonfinite.Origin) -> bool:
    """Tells whether all gradients are finite once what is to blame is given finite values in place."""
    if origin.kind == "outside":
        changed = list(tensors)
        changed[origin.external] = torch.nan_to_num(tensors[origin.external].detach(), nan=0.0, posinf=0.0, neginf=0.0)
        return not breaks(template, changed)
    name = neutral(template.plays[origin.operation].function._schema.name)

    def harmless(number: int, tensor: Any) -> Any:
        if name == "div" and number == 1 and not tensor.is_floating_point():
            return tensor.where(tensor != 0, torch.ones_like(tensor))  # a count that is zero
        if not tensor.is_floating_point() or (name in ("div", "atan2") and number == 0):
            return tensor
        # Apart from each other and from 0 and 1, where roots, logarithms, spreads and inverse functions have finite values and slopes.
        finite = torch.linspace(0.25, 0.75, max(tensor.numel(), 1), dtype=torch.float32, device=tensor.device)
        finite = finite[: tensor.numel()].reshape(tensor.shape).to(tensor.dtype)
        if not origin.rows or tensor.dim() == 0 or len(tensor) != origin.of_rows:
            return finite
        rows = torch.zeros(len(tensor), dtype=torch.bool, device=tensor.device)
        rows[list(origin.rows)] = True
        return torch.where(rows.reshape(-1, *[1] * (tensor.dim() - 1)), finite, tensor)

    return not breaks(template, tensors, edit=(origin.operation, harmless))


def fewest_samples(template: Template, tensors: Sequence[Any], origin: nonfinite.Origin, size: int) -> tuple[int, ...]:
    """Returns the smallest set of samples found that still breaks a gradient; empty where none is smaller than the batch.

    Args:
        template: of the step.
        tensors: from outside.
        origin: what is to blame; its rows are tried first, where it is by rows of the batch.
        size: of the batch.
    """

    def shows(rows: Sequence[int]) -> bool:
        index = torch.tensor(rows)
        return breaks(template, [_rows_of(template, number, tensor, index, size) for number, tensor in enumerate(tensors)])

    if origin.of_rows == size and 0 < len(origin.rows) < size:
        bad = frozenset(origin.rows)
        good = next(row for row in range(size) if row not in bad)
        first = origin.rows[0]
        alone = len(bad) == 1 or shows([row if row == first or row not in bad else good for row in range(size)])
        return ((first,) if alone else origin.rows) if not shows([good if row in bad else row for row in range(size)]) else ()
    kept, replays = list(range(size)), 0
    while len(kept) > 1 and replays < MOST_REPLAYS:
        halves = kept[: len(kept) // 2], kept[len(kept) // 2 :]
        both = [shows((half * size)[:size]) for half in halves]
        replays += 2
        if both[0] == both[1]:
            break  # both do, as where any copies would, or neither: it takes samples of each
        kept = halves[both.index(True)]
    return tuple(kept) if len(kept) < size else ()


def _rows_of(template: Template, number: int, tensor: Any, index: Any, size: int) -> Any:
    subject = template.externals[number].subject or ""
    if subject.startswith("parameter") or template.externals[number].requires_grad or tensor.dim() == 0 or len(tensor) != size:
        return tensor
    return tensor.detach()[index.to(tensor.device)]


def grown_at(template: Template, tensors: Sequence[Any], index: int) -> tuple[Made | Outside, float, float] | None:
    """Follows the largest operand of an operation that overflows back to what made it large.

    Returns:
        The place that made it, the largest value that went in (0 for what came from outside) and the one that came out; None where
        nothing but the operation itself did.
    """
    aliases = template.aliases(tensors)
    peaks: list[float] = []

    def after(_: int, __: list[Any], output: Any) -> None:
        peaks.append(max(map(_peak, results(output)), default=0.0))

    with torch.no_grad():
        template.play(aliases, after=after, until=index)

    def peak(place: Made | Outside) -> float:
        return peaks[place.operation] if isinstance(place, Made) else _peak(aliases[place.number])

    weights = [
        Outside(number)
        for number, external in enumerate(template.externals)
        if external.requires_grad and (external.subject or "").startswith("parameter") and _peak(aliases[number]) > LARGE_WEIGHT
    ]
    if weights:
        largest_weight = max(weights, key=peak)
        return largest_weight, 0.0, peak(largest_weight)
    place: Made | Outside | None = max(template.places(index), key=peak, default=None)
    if place is None or peak(place) < _large(template, place, aliases):
        return None
    while isinstance(place, Made):
        before = template.places(place.operation)
        largest = max(map(peak, before), default=0.0)
        if peak(place) > GROWTH * max(largest, 1.0):
            return place, largest, peak(place)
        if not before:
            return None
        place = max(before, key=peak)
    return place, 0.0, peak(place)


def _large(template: Template, place: Made | Outside, aliases: Sequence[Any]) -> float:
    dtype = aliases[place.number].dtype if isinstance(place, Outside) else torch.float32
    return float(torch.finfo(dtype).max) ** LARGE if dtype.is_floating_point else float("inf")


def _peak(tensor: Any) -> float:
    if not tensor.is_floating_point() or tensor.numel() == 0:
        return 0.0
    values = tensor.detach()
    return float(values[torch.isfinite(values)].abs().amax()) if bool(torch.isfinite(values).any()) else 0.0
