"""The gate: asked at once, before an optimizer step takes effect, whether it may."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

import msgspec


class Verdict(Enum):
    """What the adapter must do with the step."""

    PROCEED = "proceed"
    SKIP = "skip"
    REWIND = "rewind"
    STOP = "stop"


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A step that wants to take effect.

    Attributes:
        optimizer: id of the optimizer.
        step: optimizer steps done before.
        nonfinite: share of what was looked at that is NaN or Inf.
        what: what that is: `gradient`, `optimizer state`, `learning rate`, `update`; or `gradient norm`.
        norm: of the whole gradient.
        loss: what was differentiated since the step before, where it was one number; None where that is not known.
        rate: the largest learning rate.
        healthy: whether weights and optimizer state are finite, so that leaving this step out is enough.
        rewindable: whether there is a snapshot to go back to.
    """

    optimizer: str
    step: int
    nonfinite: float
    what: str = "gradient"
    norm: float = 0.0
    loss: float | None = None
    rate: float = 0.0
    healthy: bool = True
    rewindable: bool = False


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict with its reason.

    Attributes:
        why: where it is not that something is not finite.
        before: steps done before the fault began, for a rewind: later snapshots have it in them.
    """

    verdict: Verdict
    why: str = ""
    before: int | None = None


class Keeper(Protocol):
    """Keeps on disk what recovery needs later: batches that were set aside, and snapshots. The adapter writes the files."""

    def quarantine(self, *, step: int, size: int, write: Callable[[Path], None], about: Mapping[str, Any]) -> Path | None:
        """Keeps a batch; returns its folder, or None where there is no room left."""
        ...

    @property
    def keeps_snapshots(self) -> bool:
        """Whether snapshots go to disk."""
        ...

    def snapshot(self, *, step: int, write: Callable[[Path], None], about: Mapping[str, Any]) -> Path | None:
        """Keeps a snapshot; returns its folder."""
        ...


Judge = Callable[[Passage], Verdict | Ruling]


class Gate:
    """Asks its judges in order; the first that does not say proceed decides.

    Attributes:
        keeper: where the adapter leaves what is to be kept; None where nothing is.
        rewinds: whether snapshots are taken, so that a judge may say rewind.
        every: steps between snapshots; None where that is left to what they cost.
        follows: whether a judge looks at losses.
        ruling: the last one.
    """

    def __init__(self) -> None:
        self.judges: list[Judge] = []
        self.keeper: Keeper | None = None
        self.rewinds = False
        self.every: int | None = None
        self.turned_away = 0
        self.follows = False
        self.ruling = Ruling(verdict=Verdict.PROCEED)

    @property
    def is_open(self) -> bool:
        """Whether nobody judges, so that adapters need not measure anything."""
        return not self.judges

    def decide(self, passage: Passage) -> Verdict:
        """Returns the verdict on a step and counts those that were turned away."""
        for judge in self.judges:
            ruling = judge(passage)
            self.ruling = ruling if isinstance(ruling, Ruling) else Ruling(verdict=ruling)
            if self.ruling.verdict is not Verdict.PROCEED:
                self.turned_away += 1
                return self.ruling.verdict
        return Verdict.PROCEED
