"""Figures of a run over its steps: how they are thinned while they are taken, and how they are put together again."""

from __future__ import annotations

import math

import msgspec

#: Kind of the run file's records that hold figures, and of the one that holds what is known of data and optimizers.
FIGURES, FACTS = "figures", "facts"
#: The logarithm of a size is kept in hundredths; these stand for a size of zero and for one that is not finite.
ZERO, NONFINITE = -4_000, 4_000

#: What a curve is of.
LOSS, GRADIENT, RATE, UPDATE = "loss", "gradient", "rate", "update"
#: What those that fit into a line of text are called there, in the order in which they are shown.
IN_WORDS = {LOSS: "loss", GRADIENT: "gradient norm", RATE: "learning rate"}


class Series(msgspec.Struct, kw_only=True):
    """One curve: what it is of, whose it is, and its points by step. A value that is not finite is its name."""

    kind: str
    name: str
    points: list[tuple[int, float | str]] = []

    def numbers(self) -> list[tuple[int, float]]:
        """Returns the points as numbers, by step."""
        return [(step, float(value)) for step, value in self.points]


class Column(msgspec.Struct, array_like=True):
    """Gradient sizes of neighbouring layers at one step, as hundredths of their logarithm; None where a layer had no gradient."""

    step: int
    first: int
    sizes: list[int | None]


class Mark(msgspec.Struct, array_like=True):
    """Something that happened at a step."""

    step: int
    what: str


class Stretch(msgspec.Struct, array_like=True):
    """A model ran with gradients off: after how many steps, where, and from when to when, in nanoseconds since the epoch."""

    step: int
    path: str
    line: int
    began: int
    ended: int


class Fact(msgspec.Struct, kw_only=True):
    """What is known of one thing of the program, such as a data loader: its kind, its title, and lines of word and value."""

    kind: str
    title: str
    lines: list[tuple[str, str]] = []


class Figures(msgspec.Struct, kw_only=True):
    """What has come since the last record; all records of a run together are its curves.

    Attributes:
        layers: names of layers that had not been met before; left_out: how many there are beyond those that are kept.
        evaluations: those that were looked at.
        at: when it was written, in nanoseconds since the epoch; steps: how far the run is; overhead_pct: what watching has cost.
    """

    at: int = 0
    steps: int = 0
    overhead_pct: float = 0.0
    series: list[Series] = []
    layers: list[str] = []
    columns: list[Column] = []
    marks: list[Mark] = []
    evaluations: list[Stretch] = []
    left_out: int = 0


class Curves(msgspec.Struct, kw_only=True):
    """All figures of a run."""

    series: list[Series] = []
    layers: list[str] = []
    columns: list[Column] = []
    marks: list[Mark] = []
    facts: list[Fact] = []
    left_out: int = 0

    def add(self, figures: Figures) -> None:
        """Takes in what has come since."""
        known = {(each.kind, each.name): each for each in self.series}
        for each in figures.series:
            if (each.kind, each.name) in known:
                known[each.kind, each.name].points.extend(each.points)
            else:
                self.series.append(each)
        self.layers.extend(figures.layers)
        self.columns.extend(figures.columns)
        self.marks.extend(figures.marks)
        self.left_out += figures.left_out

    def of(self, kind: str) -> list[Series]:
        """Returns the curves of a kind that have any point."""
        return [each for each in self.series if each.kind == kind and each.points]


class Spacing:
    """Says at which steps a figure is taken: at each one first, then, whenever enough have come, half as often.

    However long the run, the number of figures grows with the logarithm of its steps.

    Args:
        enough: figures after which the distance doubles.
        every: the distance to begin with.
    """

    def __init__(self, enough: int, *, every: int = 1) -> None:
        self.every = every
        self.next = 0
        self._enough = enough
        self._taken = 0

    def due(self, step: int) -> bool:
        """Tells whether a figure is wanted at a step."""
        return step >= self.next

    def took(self, step: int) -> None:
        """Notes that a figure was taken."""
        self.next = step + self.every
        self._taken += 1
        if self._taken >= self._enough:
            self._taken = self._enough // 2
            self.every *= 2


def size(value: float) -> int:
    """Returns a size as columns keep it."""
    if not math.isfinite(value):
        return NONFINITE
    return round(100 * math.log10(value)) if value > 0 else ZERO
