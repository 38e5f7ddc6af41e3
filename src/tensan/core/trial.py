"""What trying a fix on recorded training has shown: the measure as the program is written and with the fix, and how sure that is."""

from __future__ import annotations

import math

import msgspec

from tensan.core.asks import Answer


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """A fix that was tried in several orders of the recorded batches.

    Attributes:
        measure: what was measured, smaller being better.
        before: without the fix; after: with it.
        steps: replayed steps of each.
        orders: how many orders were tried.
        less: by which share the fix makes the measure smaller; `low` and `high` bound it, at 95 %.
    """

    measure: str
    before: float
    after: float
    steps: int
    orders: int
    less: float
    low: float
    high: float

    @property
    def concludes(self) -> bool:
        """Whether the bounds leave zero out."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        told = f"{self.measure} from {self.before:.3g} to {self.after:.3g} in {self.steps} replayed steps"
        bounds = f"{_percent(self.low)} to {_percent(self.high)} in {self.orders} orders of the batches"
        if not self.concludes:
            return f"{told}; nothing is concluded, since the difference is within the spread ({bounds})"
        return f"{told}, {_percent(self.less)} ({bounds})" + ("" if self.less > 0 else ": on these steps it makes things worse")


def trial_of(answer: Answer) -> Trial | None:
    """Returns the trial that an adapter has answered with."""
    return msgspec.convert(answer.details, Trial) if answer.value is not None else None


def _percent(less: float) -> str:
    size = abs(less) * 100
    shown = "100" if less >= 0.9995 else f"{size:.1f}" if less > 0.95 else f"{size:.0f}" if math.isfinite(size) else "infinitely"
    return f"{shown} % {'less' if less >= 0 else 'more'}"
