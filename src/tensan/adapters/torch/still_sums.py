"""Follows one sum over several looks: which of its elements stand still although something is added to them each time."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

#: Relative to a value: what is below is the rounding of our own arithmetic.
ROUNDING = 1e-9
#: Looks in a row at which an element must have stood still, and spacings by which it should have moved meanwhile.
LEAST_STILL = 3
MISSED = 2
#: Spacings that an average must still be away from what it averages.
FAR = 8


class Addition(NamedTuple):
    """What was added to a sum at one look: its elements before, as they should be, and as they are, all in double precision."""

    before: Any
    exact: Any
    after: Any
    dtype: str
    weight: float


class StillSum:
    """What is known of one sum.

    Attributes:
        looks: how often it was looked at.
        num_elements, num_added: elements that are looked at, and those to which something else than zero was added the last time.
        num_missed: elements that should have moved, by all that was added since they have last done so, and have not.
        one_way: whether nothing of the other sign was ever added.
        value, addend, spacing: of one of these elements; it has stood still in `looks_still` looks in a row, over `span` additions.
        weight: how far it goes in one step towards what is averaged; 0 of a sum.
    """

    def __init__(self) -> None:
        self.looks = self.looks_still = self.span = 0
        self.num_elements = self.num_added = self.num_missed = 0
        self.one_way = True
        self.value = self.addend = self.spacing = self.weight = 0.0
        self.dtype = ""
        self._last: _Elements | None = None
        self._way = 0

    def add(self, addition: Addition, *, clock: int) -> None:
        """Takes one more look at it.

        Args:
            addition: what was seen.
            clock: counts what is added once each: steps or forwards.
        """
        before, exact, after = (value.cpu() for value in addition[:3])
        addends = exact - before  # of one element each, or of all
        added = (addends.abs() > ROUNDING * before.abs()) & addends.isfinite() & before.isfinite()
        lost, signs = added & (after == before), addends.sign()
        self.looks += 1
        self.dtype, self.weight = addition.dtype, addition.weight
        self._follow_way(signs[added])
        last = self._last
        if last is None or last.values.shape != before.shape:
            nothing = torch.zeros_like(before)
            last = _Elements(before, signs, addends.abs(), nothing, nothing.long(), nothing.long() + clock, clock)
        goes_on = lost & (before == last.values) & (signs == last.signs)
        gained = torch.minimum(addends.abs(), last.sizes) * (clock - last.clock)
        missed = torch.where(goes_on, last.missed + gained, 0.0)
        times = torch.where(goes_on, last.times + 1, lost.long())
        since = torch.where(goes_on, last.since, clock)
        self._last = _Elements(before, signs, addends.abs(), missed, times, since, clock)
        spacing = spacing_at(before, getattr(torch, addition.dtype))
        stands = (times >= LEAST_STILL) & (missed >= MISSED * spacing)
        if self.weight:  # an average that has all but arrived has nothing to go to
            stands = stands & (addends.abs() >= self.weight * FAR * spacing)
        self.num_elements, self.num_added, self.num_missed = before.numel(), int(added.sum()), int(stands.sum())
        if self.num_missed:
            first = int(torch.where(stands, times, 0).argmax())
            self.value, self.addend, self.spacing = float(before[first]), float(addends[first]), float(spacing[first])
            self.looks_still, self.span = int(times[first]), clock - int(since[first])

    def _follow_way(self, signs: Any) -> None:
        for way in (1, -1):
            if bool((signs == way).any()):
                self.one_way = self.one_way and self._way in (0, way)
                self._way = way


class _Elements(NamedTuple):
    """The elements at the last look: values, sign and size of what was added, what each has missed, in how many looks and since when."""

    values: Any
    signs: Any
    sizes: Any
    missed: Any
    times: Any
    since: Any
    clock: int


def spacing_at(values: Any, dtype: torch.dtype) -> Any:
    """Returns how far the next number is that a type can hold, for each of some values in double precision."""
    exponent = torch.frexp(values).exponent - 1
    least = torch.full_like(values, torch.finfo(dtype).tiny)
    return torch.maximum(torch.ldexp(torch.ones_like(values), exponent), least) * torch.finfo(dtype).eps
