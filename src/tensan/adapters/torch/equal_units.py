"""Finds layers all of whose units are copies of each other: equal weights that get equal gradients stay equal for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.supervision import is_plain
from tensan.core.events.training import UnitsAlike

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder

#: Steps of an optimizer in which it is looked at: what begins at zero on purpose has come apart by then.
AT = frozenset({4, 12})
#: Parameters of an optimizer that are looked at.
MOST_PARAMETERS = 2_000
#: How far rows may be apart, as part of the largest value.
ROUNDING = 1e-5


class EqualUnits:
    """Looks at the rows of weights, just before a step, when their gradients are there."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def look(self, record: OptimizerRecord) -> None:
        """An optimizer is about to step, on an attended step."""
        watch = self.recorder.watch
        if record.steps not in AT or not watch.wants(UnitsAlike):
            return
        with torch.no_grad():
            alike = [tensor for _, tensor in zip(range(MOST_PARAMETERS), record.parameters(), strict=False) if _has_equal_rows(tensor)]
        watch.emit(
            UnitsAlike(
                step=watch.steps,
                optimizer=record.id,
                looked_again=record.steps == max(AT),
                parameters=tuple(self.recorder.inventory.describe(tensor) for tensor in alike),
            )
        )


def _has_equal_rows(tensor: Any) -> bool:
    gradient = tensor.grad
    if gradient is None or not is_plain(tensor.detach()) or not is_plain(gradient) or tensor.dim() < 2 or len(tensor) < 2:
        return False
    # Two rows differ as a rule, so that no more is looked at.
    return all(_is_one(each[:2]) for each in (gradient, tensor)) and all(map(_is_one, (gradient, tensor))) and bool(gradient.any())


def _is_one(rows: Any) -> bool:
    """Tells whether all rows are one, but for what kernels that sum in another order make of it."""
    return float((rows - rows[:1]).abs().max()) <= ROUNDING * float(rows.abs().max())
