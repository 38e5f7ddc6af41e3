"""Finds out which samples a mixed input is made of, and by what share, where a loss weighs the targets of both.

An input that was mixed as a whole is one of `share * x[i] + (1 - share) * x[j]`; one that was pasted into holds values of either. The
samples are those that the loader delivered, or an array that the program still has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tensan.adapters.torch.trace import Kept, Trace
from tensan.adapters.torch.variables import variables
from tensan.core.events.targets import MixtureWeighed
from tensan.core.sites import Place

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Mixtures that are looked at; recorded losses without one, and batches before the first one, after which no batch is kept any more.
MOST_LOOKS = 6
MOST_WITHOUT = 2
MOST_KEPT = 8
#: Samples and values of a batch that are kept, arrays of the program that are tried, rows of a mixture that are taken apart.
MOST_SAMPLES = 1_024
MOST_VALUES = 1 << 19
MOST_TRIED = 8
MOST_ROWS = 16
#: How far a share must lie from one half, and from nothing and all, to be told from its counterpart.
LEAST_OFF = 0.02
#: What a value may be off its mixture, beside the largest value of the batch.
ROUNDING = 2e-5
#: Operations that a loss may go through before it is multiplied by its weight.
_ON_THE_WAY = frozenset({"aten::mean", "aten::sum", "aten::view", "aten::squeeze", "aten::unsqueeze"})


class _Weighed(NamedTuple):
    """A target and the number that its loss is multiplied by."""

    target: Any
    weight: float
    logits: int
    site: Place


class _Mixed(NamedTuple):
    """What a mixed row holds of the sample in its own place, and which other sample it holds beside it."""

    own: float
    other: int
    is_pasted: bool


class Mixtures:
    """Keeps the samples of the batch that was delivered last, until a recorded loss tells whether they were mixed."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0 if recorder.watch.wants(MixtureWeighed) else MOST_LOOKS
        self._without = self._kept = 0
        self._delivered: Any = None

    def delivered(self, tensors: Sequence[Any]) -> None:
        """A batch was handed to the program, which may write into it."""
        self._delivered = None
        is_kept = self._looks < MOST_LOOKS and self._without < MOST_WITHOUT and (self._looks > 0 or self._kept < MOST_KEPT)
        if is_kept and tensors and tensors[0].device.type == "cpu" and _can_be_mixed(tensors[0]):
            self._kept += 1
            self._delivered = tensors[0].detach().clone()

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded."""
        delivered, self._delivered = self._delivered, None
        if self._looks >= MOST_LOOKS:
            return
        pair = _pair(list(_weighed(trace)))
        given = next((inputs[0] for inputs in trace.entered if inputs), None)
        if pair is None or given is None or not _can_be_mixed(given) or len(given) != len(pair[0].target):
            self._without += 1
            return
        self._looks += 1
        self.recorder.syncs += given.is_cuda
        for samples in _sources(delivered, given):
            told = self._compared(given.detach().cpu(), samples.cpu(), *pair)
            if told is not None:
                self.recorder.watch.emit(told)
                return

    def _compared(self, given: Any, samples: Any, one: _Weighed, two: _Weighed) -> MixtureWeighed | None:
        """Takes some rows apart, and asks which of two targets belongs to the sample in its own place."""
        rows = {row: mixed for row in range(min(len(given), MOST_ROWS)) if (mixed := _taken_apart(given, samples, row, one.weight))}
        own = _of_own_place(one, two, rows)
        if own is None:
            return None
        other = two if own is one else one
        kinds = {mixed.is_pasted for mixed in rows.values()}
        off = [(abs(mixed.own - own.weight), abs(mixed.own - other.weight)) for mixed in rows.values()]
        return MixtureWeighed(
            step=self.recorder.watch.steps,
            site=own.site,
            num_rows=len(rows),
            num_right=sum(right < wrong for right, wrong in off),
            num_exchanged=sum(wrong <= ROUNDING < right for right, wrong in off),
            share=next(iter(rows.values())).own,
            weight=own.weight,
            is_pasted=True in kinds,
        )


def _can_be_mixed(tensor: Any) -> bool:
    """Tells whether an array can be a batch of samples whose values can be added."""
    fits = _is_plain(tensor) and tensor.dim() > 1 and tensor.is_floating_point() and tensor.itemsize >= 4
    return fits and 2 < len(tensor) <= MOST_SAMPLES and 0 < tensor.numel() <= MOST_VALUES


def _is_plain(tensor: Any) -> bool:
    return type(tensor) is torch.Tensor and tensor.layout is torch.strided and not (tensor.is_meta or tensor.is_quantized)


def _weighed(trace: Trace) -> Iterator[_Weighed]:
    """Yields the targets of classes whose loss is multiplied by a number after the model's forward."""
    users: dict[int, list[Kept]] = {}
    for kept in trace.kept:
        for value in trace.operations[kept.index].inputs:
            users.setdefault(value.producer, []).append(kept)
    for loss in trace.losses:
        operation = trace.operations[loss.index]
        if operation.name != "nll_loss" or len(loss.arguments) < 2 or not operation.inputs:
            continue
        target, behind = loss.arguments[1], operation.inputs[0].producer
        if not isinstance(target, torch.Tensor) or target.dim() != 1 or not _is_plain(target) or behind < 0:
            continue
        source = trace.operations[behind]
        index = loss.index
        for _ in range(4):
            following = users.get(index, [])
            if len(following) != 1:
                break
            aten = trace.operations[following[0].index].settings.get("aten")
            if aten == "aten::mul":
                weight = _number(following[0], trace.operations[following[0].index].inputs, index)
                if weight is not None and source.inputs:
                    yield _Weighed(target.detach().cpu(), weight, source.inputs[0].producer, trace.operations[following[0].index].site)
                break
            if aten not in _ON_THE_WAY:
                break
            index = following[0].index


def _number(kept: Kept, inputs: Sequence[Any], index: int) -> float | None:
    """Returns what a multiplication takes beside the result of an operation, where that is one number."""
    arguments = [item for item in kept.arguments[:2] if not isinstance(item, torch.Tensor)]
    if len(arguments) == 1 and type(arguments[0]) in (int, float):
        return float(arguments[0])
    tensors = [item for item in kept.arguments[:2] if isinstance(item, torch.Tensor)]
    others = [item for item, value in zip(tensors, inputs, strict=False) if value.producer != index]
    fits = len(others) == 1 and others[0].numel() == 1 and _is_plain(others[0]) and not others[0].requires_grad
    return float(others[0].detach()) if fits else None


def _pair(weighed: Sequence[_Weighed]) -> tuple[_Weighed, _Weighed] | None:
    """Returns two targets of one prediction whose weights share out a whole unequally."""
    if len(weighed) != 2 or weighed[0].logits != weighed[1].logits or weighed[0].target.shape != weighed[1].target.shape:
        return None
    one, two = weighed
    whole = abs(one.weight + two.weight - 1) < 1e-6
    apart = LEAST_OFF < one.weight < 1 - LEAST_OFF and abs(one.weight - 0.5) > LEAST_OFF
    return (one, two) if whole and apart else None


def _sources(delivered: Any, given: Any) -> Iterator[Any]:
    """Yields arrays that the samples of a mixture may come from."""
    if delivered is not None and delivered.shape == given.shape and delivered.dtype == given.dtype:
        yield delivered
    tried = 0
    for _, value, _ in variables(4):
        fits = type(value) is torch.Tensor and value.shape == given.shape and value.dtype == given.dtype and _can_be_mixed(value)
        if fits and value is not given and tried < MOST_TRIED:
            tried += 1
            yield value.detach()


def _taken_apart(given: Any, samples: Any, row: int, weight: float) -> _Mixed | None:
    """Returns how a row is mixed of the sample in its place and another one; None where it is not, or where that is not clear."""
    mixed, flat = given[row].reshape(-1), samples.reshape(len(samples), -1)
    own = flat[row]
    size = float(flat.abs().max())
    is_own = mixed == own
    pasted = float(is_own.double().mean())
    if 0 < pasted < 1 and bool((others := (flat[:, ~is_own] == mixed[~is_own]).all(1)).any()):
        return _Mixed(pasted, int(others.nonzero()[0]), True) if int(others.sum()) == 1 else None
    found = []
    for share in (weight, 1 - weight):
        off = (share * own + (1 - share) * flat - mixed).abs().amax(1)
        nearest = int(off.argmin())
        if nearest != row and float(off[nearest]) <= ROUNDING * size:
            found.append(_Mixed(share, nearest, False))
    return found[0] if len(found) == 1 else None


def _of_own_place(one: _Weighed, two: _Weighed, rows: dict[int, _Mixed]) -> _Weighed | None:
    """Returns the target that lies as the samples do: the other one holds, for each row, what this one says of its other sample."""
    fits = [
        own
        for own, other in ((one, two), (two, one))
        if rows and all(int(own.target[mixed.other]) == int(other.target[row]) for row, mixed in rows.items())
    ]
    return fits[0] if len(fits) == 1 else None
