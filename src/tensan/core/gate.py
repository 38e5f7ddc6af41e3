"""The gate: asked at once, before an optimizer step takes effect, whether it may."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import msgspec


class Verdict(Enum):
    """What the adapter must do with the step."""

    PROCEED = "proceed"
    SKIP = "skip"
    REWIND = "rewind"


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A step that wants to take effect.

    Attributes:
        optimizer: id of the optimizer.
        step: optimizer steps done before.
        nonfinite: share of the gradient's norms that are NaN or Inf; the adapter measures it when `needs_finite` is set.
    """

    optimizer: str
    step: int
    nonfinite: float


Judge = Callable[[Passage], Verdict]


class Gate:
    """Asks its judges in order; the first that does not say proceed decides."""

    def __init__(self) -> None:
        self.judges: list[Judge] = []
        self.turned_away = 0

    @property
    def is_open(self) -> bool:
        """Whether nobody judges, so that adapters need not measure anything."""
        return not self.judges

    def decide(self, passage: Passage) -> Verdict:
        """Returns the verdict on a step and counts those that were turned away."""
        for judge in self.judges:
            verdict = judge(passage)
            if verdict is not Verdict.PROCEED:
                self.turned_away += 1
                return verdict
        return Verdict.PROCEED


def finite_only(passage: Passage) -> Verdict:
    """Lets a step pass only where its gradient is finite."""
    return Verdict.SKIP if passage.nonfinite > 0 else Verdict.PROCEED
