"""What rules that look at several steps share: words for names and places, and evidence held back until there is enough."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

import msgspec

from tensan.core.events.things import Loader, Optimizer
from tensan.core.sites import Location, Place, resolved

T = TypeVar("T")

_ASSIGNED = re.compile(r"\s*((?:self\.)?[A-Za-z_]\w*)\s*(?::[^=]+)?=(?!=)")


def listed(names: Iterable[str], *, most: int = 2) -> str:
    """Returns names as a sentence has them: "`a`", "`a` and `b`", "`a`, `b` and 4 more"."""
    quoted = [f"`{name}`" for name in dict.fromkeys(names)]
    shown, rest = quoted[:most], len(quoted) - most
    if rest > 0:
        return f"{', '.join(shown)} and {rest} more"
    return " and ".join(shown)


def counted(number: int, noun: str) -> str:
    """Returns a number with its noun: "1 step", "3 steps"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def line_of(place: Place) -> tuple[str, int] | None:
    """Returns file and line, by which things made in one loop or comprehension are one."""
    if place is None:
        return None
    return (place.path, place.line) if isinstance(place, Location) else place.key


def name_given(place: Place, otherwise: str) -> str:
    """Returns the name that the program gave to what it made at a place, read off the assignment there."""
    location = resolved(place)
    if location is None:
        return otherwise
    begin = location.source.rfind(";", 0, location.column - 1) + 1  # several statements may stand on one line
    match = _ASSIGNED.match(location.source[begin:])
    return match[1] if match else otherwise


class Evidence(Generic[T]):
    """Holds observations back until there are enough of them, then lets all of them go, and each later one at once.

    So a finding starts at the first step it was seen at and counts every step, yet one odd step says nothing.
    """

    def __init__(self, needed: int) -> None:
        self.needed = needed
        self.refuted = False
        self._held: list[T] = []
        self._enough = False

    def add(self, item: T) -> Sequence[T]:
        """Takes an observation and returns those that may be told now."""
        if self.refuted:
            return ()
        self._held.append(item)
        if not self._enough and len(self._held) < self.needed:
            return ()
        self._enough = True
        released, self._held = self._held, []
        return released

    def interrupt(self) -> None:
        """Forgets what was not yet enough: the observations had to follow one another."""
        self._held = []

    def refute(self) -> None:
        """Says that the program does it right, or means it: nothing more is told."""
        self._held = []
        self.refuted = True


class OpenSteps:
    """Knows which optimizers are in the middle of a step.

    Two things follow that would else look like faults: an optimizer that is stepped by another one's step is the inner half
    of a wrapper, and one whose backward runs inside its step takes a closure, as L-BFGS does.
    """

    def __init__(self) -> None:
        self.closures: set[str] = set()
        self._open: dict[str, bool] = {}
        self._ends_seen = False

    def begin(self, optimizer: str) -> None:
        self._open.pop(optimizer, None)
        self._open[optimizer] = False

    def backward(self) -> None:
        self._open = dict.fromkeys(self._open, True)

    def end(self, optimizer: str) -> None:
        self._ends_seen = True
        if self._open.pop(optimizer, False):
            self.closures.add(optimizer)

    def within(self, optimizer: str) -> bool:
        """Tells whether another optimizer is in the middle of a step; never so where ends of steps are not told."""
        return self._ends_seen and any(other != optimizer for other in self._open)


class Rates:
    """The learning rates that optimizers were seen to step with, by id: the largest of all, and the largest of the last step."""

    def __init__(self) -> None:
        self.largest: dict[str, float] = {}
        self.last: dict[str, float] = {}

    def seen(self, optimizer: Optimizer) -> None:
        """Hears of a step."""
        if optimizer.rates:
            self.last[optimizer.id] = now = max(optimizer.rates)
            self.largest[optimizer.id] = max(self.largest.get(optimizer.id, 0.0), now)


LoaderKey = tuple[object, int | None]


class Epochs:
    """Counts the epochs of loaders. Those made at one line and of one length are one: many loops make a new one for each epoch."""

    def __init__(self) -> None:
        self._begun: dict[LoaderKey, int] = {}

    @staticmethod
    def key(loader: Loader) -> LoaderKey:
        """Returns what loaders that are made anew for each epoch have in common."""
        return line_of(loader.made) or loader.id, loader.length

    def begin(self, loader: Loader) -> None:
        """Hears of the start of an epoch."""
        self._begun[self.key(loader)] = self._begun.get(self.key(loader), 0) + 1

    def count(self, loader: Loader) -> int:
        """Returns how often a loader, or another in its place, has begun."""
        return self._begun.get(self.key(loader), 0)

    def merged(self, loaders: Iterable[Loader]) -> dict[LoaderKey, Loader]:
        """Returns one loader for each line, with all its epochs, and trained where any was."""
        found: dict[LoaderKey, Loader] = {}
        for loader in loaders:
            key = self.key(loader)
            before = found.get(key)
            epochs = loader.epochs + (before.epochs if before is not None else 0)
            trained = loader.trained or (before is not None and before.trained)
            found[key] = msgspec.structs.replace(loader, epochs=max(epochs, self._begun.get(key, 0)), trained=trained)
        return found
