"""The root cause of a fault, by intervention: what changed is set back, alone and together, and the run is replayed each time.

Watching alone cannot tell a cause from what changed beside it. A replay can: what is necessary, the fault goes away without it; what is
sufficient, it comes back by that alone. Where no factor and no pair is both, there is no single cause, and that is the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from statistics import fmean, stdev

import msgspec

#: Replays of the good run, each with another draw, whose spread says what chance does. A factor may draw by itself, as dropout does, so
#: replays of one number need not have drawn alike: where the spread is wide, all outcomes are means over several draws, at most so many.
DRAWS = 4
#: How many times what chance does to the difference of two outcomes an effect must be.
_SPREADS = 3.0
#: What stands for an outcome that is not finite, on the scale of logarithms.
_BROKEN = 50.0
#: Factors of which all pairs are tried; of more, those that matter most.
MOST_PAIRED = 8

#: What is said of a pair, by how many of the two bring a fault about alone.
_PAIRS = ("only both together bring it about", "one of them alone brings a part of it about", "each alone brings one about")

Replay = Callable[[frozenset[str], int], float]


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What one factor does, or several together.

    Attributes:
        necessity: part of the fault that is gone once they alone are set back.
        sufficiency: part of the fault that is there where everything else is set back.
        times: how many times as bad they alone make the outcome.
    """

    factors: tuple[str, ...]
    necessity: float
    sufficiency: float
    times: float


class RootCause(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict.

    Attributes:
        causes: the factors; empty where nothing that changed is to blame.
        why: in words.
        effects: of each factor, and of the pairs that were tried.
        noise: what chance does to the outcome, as a part of it.
        replays: how many were made.
    """

    causes: tuple[str, ...]
    why: str
    effects: tuple[Effect, ...] = ()
    noise: float = 0.0
    replays: int = 0


def root_cause(replay: Replay, changed: Sequence[str], *, usual: float | None = None, least: float = 0.3) -> RootCause:
    """Finds which of the things that changed has brought a fault about.

    Args:
        replay: plays the run again from the last good snapshot, and returns how bad it came out: a positive number, such as the loss on
            clean data. It is given the factors to set back to what they were, and the number of a draw: 0 draws what the run drew,
            others another order and other masks.
        changed: names of the factors.
        usual: the outcome before anything changed, where it is known: what is as bad with everything set back has its cause elsewhere.
        least: the smallest effect that counts, as a part of the outcome.

    Raises:
        ValueError: when no factor is given, or one twice.
    """
    if not changed or len(set(changed)) < len(changed):
        raise ValueError(f"root_cause: changed: expected at least one factor, each once, got {list(changed)!r}")
    return _Search(replay, changed, usual=usual, least=least).verdict()


class _Search:
    def __init__(self, replay: Replay, changed: Sequence[str], *, usual: float | None, least: float) -> None:
        self._replay, self._changed, self._usual = replay, tuple(changed), usual
        self._all = frozenset(changed)
        self._outcomes: dict[tuple[frozenset[str], int], float] = {}
        spread = stdev(self._played(self._all, draw) for draw in range(DRAWS))
        counts = math.log1p(least)
        self._draws = min(DRAWS, max(1, math.ceil(2 * (_SPREADS * spread / counts) ** 2)))
        self.noise = spread * math.sqrt(2 / self._draws)
        self.least = max(_SPREADS * self.noise, counts)
        self.bad, self.good = self._outcome(frozenset()), self._outcome(self._all)

    def _outcome(self, back: frozenset[str]) -> float:
        return fmean(self._played(back, draw) for draw in range(self._draws))

    def _played(self, back: frozenset[str], draw: int) -> float:
        key = back, draw
        if key not in self._outcomes:
            value = self._replay(back, draw)
            self._outcomes[key] = min(_BROKEN, math.log(max(value, 1e-30))) if math.isfinite(value) else _BROKEN
        return self._outcomes[key]

    def _left(self, factors: Sequence[str]) -> float:
        """Returns what is left of the fault where some factors are set back."""
        return self._outcome(frozenset(factors)) - self.good

    def _brought(self, factors: Sequence[str]) -> float:
        """Returns what some factors bring about by themselves."""
        return self._outcome(self._all - frozenset(factors)) - self.good

    def _effect(self, factors: tuple[str, ...]) -> Effect:
        whole = self.bad - self.good
        return Effect(
            factors=factors,
            necessity=1 - self._left(factors) / whole,
            sufficiency=self._brought(factors) / whole,
            times=math.exp(min(self._brought(factors), _BROKEN)),
        )

    def verdict(self) -> RootCause:
        if self._usual is not None and self.good - math.log(max(self._usual, 1e-30)) > self.least:
            return self._told((), "it comes out as bad with everything set back: the cause is none of what changed")
        if self.bad - self.good <= self.least:
            return self._told(
                (), f"the fault does not come back: {_times(self.bad - self.good)} with all that changed, which chance may do"
            )
        causes, why = self._causes()
        pairs = [causes] if len(causes) == 2 else []
        effects = tuple(self._effect(factors) for factors in (*((name,) for name in self._changed), *pairs))
        return self._told(causes, why, effects)

    def _causes(self) -> tuple[tuple[str, ...], str]:
        curing = [name for name in self._changed if self._left((name,)) <= self.least]
        bringing = [name for name in self._changed if self._brought((name,)) > self.least]
        both = [name for name in curing if name in bringing]
        if both:
            name = max(both, key=lambda name: self._brought((name,)))
            return (name,), f"it goes away with `{name}` set back, and comes back by it alone ({_times(self._brought((name,)))})"
        for first, second in sorted(self._pairs(), key=self._left):
            if self._left((first, second)) <= self.least < self._brought((first, second)):
                alone = sum(name in bringing for name in (first, second))
                return (first, second), f"it goes away with `{first}` and `{second}` set back, and {_PAIRS[alone]}"
        return (), "no factor, and no two of them, is both necessary and sufficient: there is no single cause"

    def _pairs(self) -> Iterator[tuple[str, str]]:
        weight = {name: max(self._brought((name,)), self.bad - self.good - self._left((name,))) for name in self._changed}
        ranked = sorted(self._changed, key=lambda name: -weight[name])[:MOST_PAIRED]
        return combinations(ranked, 2)

    def _told(self, causes: tuple[str, ...], why: str, effects: tuple[Effect, ...] = ()) -> RootCause:
        return RootCause(causes=causes, why=why, effects=effects, noise=math.expm1(self.noise), replays=len(self._outcomes))


def _times(logarithm: float) -> str:
    return f"{math.exp(logarithm):.3g} times as bad" if logarithm < _BROKEN / 2 else "not finite"
