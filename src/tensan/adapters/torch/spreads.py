"""Looks, while a step is recorded, at the values that losses are given: what no shape tells.

Only comparisons, casts and the first layer's input are looked at, each in a handful of reductions and one read.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from tensan.core.events.things import Operation, Spread
from tensan.core.operations import LOSS

#: Operations of one step that are looked at.
MOST_LOOKS = 48
#: Values of one array that are looked at, of whole numbers and of others: whole rows, the first ones. A label may be rare.
MOST_WHOLE = 1 << 17
MOST_FLOATING = 1 << 15
#: Layers of one step whose input is looked at: the first ones.
MOST_LAYERS = 2
#: Logarithms of one step whose argument is looked at.
MOST_LOGS = 3
#: Places of one step that lose their slope far out, and the argument of whose first operation is looked at.
MOST_SATURATING = 4
_SATURATING = frozenset({"clamp", "sigmoid", "tanh"})
#: Axes over which sums are taken.
MOST_AXES = 4

#: Losses that torch makes of smaller operations: there the comparison is one of these.
_PARTS = frozenset({"mul", "sub"})
#: What losses of two-sided labels compare these with.
_SIGNS = ((1,), (-1,))
_FIRST_LAYERS = frozenset({"matmul", "convolution"})


class Spreads:
    """What was seen in one recorded step.

    Attributes:
        of_inputs: by operation, a spread for each of its first two inputs that was looked at.
        results: by operation, the number it gave: a loss of one value, or what the program read on the host.
        reads: how often a value was read from where it lies.
    """

    def __init__(self) -> None:
        self.of_inputs: dict[int, tuple[Spread | None, Spread | None]] = {}
        self.results: dict[int, float] = {}
        self.reads = 0
        self._layers = self._logs = 0
        self._saturating: set[object] = set()

    def look(self, operation: Operation, gathered: list[Any], output: Any, *, in_loss: bool) -> None:
        """An operation has run; `in_loss` tells whether the model's forward is over."""
        name = operation.name
        if name == "item":
            self.results[operation.index] = float(output) if isinstance(output, (int, float)) else float("nan")
            return
        if len(self.of_inputs) >= MOST_LOOKS or not gathered:
            return
        if name in LOSS and len(gathered) > 1:
            ignored = _ignored_index(operation) if name == "nll_loss" else None
            spreads = self._of(gathered[0]), self._of(gathered[1], ignored=ignored)
            self._take_result(operation.index, output[0] if isinstance(output, (list, tuple)) else output)
        elif name == "log" and self._logs < MOST_LOGS and gathered[0].requires_grad:
            self._logs += 1
            spreads = self._of(gathered[0]), None
        elif (name in _SATURATING and gathered[0].requires_grad and self._is_new(operation)) or name == "log_softmax":
            spreads = self._of(gathered[0]), None
        elif in_loss and name in _PARTS and _are_compared(operation):
            spreads = self._of(gathered[0]), self._of(gathered[1])
        elif in_loss and (_tells_signs(operation) or (name == "cast_integer" and gathered[0].dtype.is_floating_point)):
            spreads = self._of(gathered[0]), None
        elif name in _FIRST_LAYERS and self._layers < MOST_LAYERS and (position := _given_to_layer(operation)) is not None:
            self._layers += 1
            spread = self._of(gathered[position])
            spreads = (spread, None) if position == 0 else (None, spread)
        else:
            return
        self.of_inputs[operation.index] = spreads

    def _is_new(self, operation: Operation) -> bool:
        """Tells whether a place is the first of the few that lose their slope: a recurrent layer does so at each step."""
        if operation.site in self._saturating or len(self._saturating) >= MOST_SATURATING:
            return False
        self._saturating.add(operation.site)
        return True

    def _take_result(self, index: int, tensor: Any) -> None:
        """Notes the number that a loss is, where it is one."""
        if isinstance(tensor, torch.Tensor) and tensor.numel() == 1 and _is_plain(tensor):
            self.results[index] = float(tensor.detach())
            self.reads += tensor.is_cuda

    def _of(self, tensor: Any, *, ignored: int | None = None) -> Spread | None:
        if not _is_plain(tensor) or tensor.numel() == 0:
            return None
        values = tensor.detach()
        floating = values.dtype.is_floating_point
        most = MOST_FLOATING if floating else MOST_WHOLE
        if values.numel() > most:
            values = values[: max(1, most * len(values) // values.numel())]
        share_ignored = values.eq(ignored).sum() if ignored is not None else None
        if not floating or values.itemsize < 4:
            values = values.to(torch.float32)
        seen = [values.min(), values.max(), (values < 0).sum(), (values > 1).sum(), (values < -1).sum(), (values != values.round()).sum()]
        seen += [values.square().sum(), values.sum()]
        axes = range(min(values.dim(), MOST_AXES))
        exponentials = values.exp()
        for axis in axes:
            sums, powers = values.sum(axis), exponentials.sum(axis)
            seen += [sums.min(), sums.max(), powers.min(), powers.max()]
        if share_ignored is not None:
            seen.append(share_ignored)
        numbers = torch.stack([number.to(torch.float32) for number in seen]).tolist()
        self.reads += tensor.is_cuda
        if math.isnan(numbers[0]):  # what made it is another rule's business
            return None
        count = values.numel()
        by_axis = [tuple(numbers[begin : begin + 4]) for begin in range(8, 8 + 4 * len(axes), 4)]
        return Spread(
            minimum=numbers[0],
            maximum=numbers[1],
            below_zero=numbers[2] / count,
            above_one=numbers[3] / count,
            below_minus_one=numbers[4] / count,
            fractional=numbers[5] / count,
            root_mean_square=(numbers[6] / count) ** 0.5,
            sums=tuple((least, most) for least, most, _, _ in by_axis),
            exponential_sums=tuple((least, most) for _, _, least, most in by_axis),
            ignored=numbers[-1] / count if share_ignored is not None else 0.0,
            mean=numbers[7] / count,
        )


def _is_plain(tensor: Any) -> bool:
    """Tells whether looking at a tensor's values is an ordinary thing to do."""
    ordinary = type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.layout is torch.strided
    return ordinary and not (tensor.is_meta or tensor.is_quantized or tensor.is_complex() or tensor.is_nested)


def _ignored_index(operation: Operation) -> int | None:
    arguments = operation.settings.get("arguments", ())
    assert isinstance(arguments, tuple), arguments
    numbers = [item for item in arguments if isinstance(item, int) and not isinstance(item, bool)]
    return int(numbers[-1]) if len(numbers) > 1 else None


def _are_compared(operation: Operation) -> bool:
    """Tells whether a difference or a product is one of a prediction with something of the same shape that is given."""
    if len(operation.inputs) < 2 or operation.settings.get("writes"):  # what was written into is no longer what it was
        return False
    left, right = operation.inputs[:2]
    return len(left.shape) > 0 and left.shape == right.shape and left.requires_grad != right.requires_grad


def _tells_signs(operation: Operation) -> bool:
    """Tells whether something that is given is compared with one of the two signs."""
    return operation.name == "compare" and operation.settings.get("arguments") in _SIGNS and not operation.inputs[0].requires_grad


def _given_to_layer(operation: Operation) -> int | None:
    """Returns which input of a layer the program gave from outside, and not another operation; None where none was."""
    layer = any((value.subject or "").startswith("parameter") or value.requires_grad for value in operation.inputs)
    outside = [
        position
        for position, value in enumerate(operation.inputs[:2])
        if not value.requires_grad and not (value.subject or "").startswith("parameter") and len(value.shape) > 1
    ]
    return outside[0] if layer and outside else None
