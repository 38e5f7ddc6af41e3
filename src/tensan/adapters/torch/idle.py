"""Counts the backward passes that reach an optimizer's parameters while it never steps, and tells whether somebody else moves them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.utils.weak import TensorWeakRef

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord

#: Parameters whose versions are compared, and elements of the first of them that are.
MOST_COMPARED = 16


class Idle:
    """What one optimizer has waited for; nothing is kept once it has stepped."""

    __slots__ = ("backwards", "first", "seen_moved", "versions")

    def __init__(self) -> None:
        self.backwards = 0
        self.versions: list[tuple[Any, int]] = []
        self.first: list[float] = []
        self.seen_moved = False

    def reached(self, record: OptimizerRecord) -> None:
        """A backward has reached the parameters of an optimizer."""
        if record.attempts:
            return
        self.backwards += 1
        if self.backwards == 1:
            trained = [tensor for tensor in record.parameters() if tensor.requires_grad][:MOST_COMPARED]
            self.versions = [(TensorWeakRef(tensor), tensor._version) for tensor in trained]
            self.first = _some(trained[0]) if trained else []
        elif not self.seen_moved:
            self.seen_moved = self.moved()

    def moved(self) -> bool:
        """Tells whether the parameters were written to since; where a function that has returned held them, as they were last seen."""
        living = [(reference(), version) for reference, version in self.versions]
        if self.seen_moved or not living:
            return True
        if any(tensor is None for tensor, _ in living):
            return False
        if any(tensor._version != version for tensor, version in living):
            return True
        return _some(living[0][0]) != self.first  # `.data` writes past the version


def _some(tensor: Any) -> list[float]:
    return tensor.detach().flatten()[:MOST_COMPARED].tolist()
