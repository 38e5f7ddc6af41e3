"""Counts, for each place that makes samples, whether what belongs to an image that was turned stayed behind, and tells when it may."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, Generic, TypeVar

from tensan.adapters.torch.turning_lines import codes_below, turning_line
from tensan.adapters.torch.variables import users_frames
from tensan.core.sites import Place

#: Functions of the program that are searched for the line.
MOST_FRAMES = 4


class Tally:
    """What was seen of the samples that one place makes.

    Attributes:
        line: the statement that turns something, where there is one.
        left: samples whose image was turned and what belongs to it was not; way: how one of the images lay.
        last_left: those of the batch before; is_learned: whether such ones were seen to be learned from as they were delivered.
    """

    def __init__(self) -> None:
        self.line: Place = None
        self.left = self.last_left = 0
        self.way = ""
        self.is_learned = False


T = TypeVar("T", bound=Tally)


class Tallies(Generic[T]):
    """The tallies of data sets, by the function that makes an item, and of training loops.

    Args:
        make: makes a tally.
        tell: tells what one has counted.
    """

    def __init__(self, make: Callable[[], T], tell: Callable[[T], object]) -> None:
        self._make, self._tell = make, tell
        self._by_code: dict[CodeType, T] = {}
        #: What the data set of the batch that was made last has done.
        self._fetched: T | None = None

    def forget_batch(self) -> None:
        """A batch is made of which nothing may be counted."""
        self._fetched = None

    def fetched(self, function: FunctionType, dataset: Any, count: Callable[[T], object]) -> None:
        """Has the batch counted that a data set has made."""
        tally = self._by_code.setdefault(function.__code__, self._make())
        tally.line = tally.line or turning_line(codes_below(function, dataset))
        before = tally.left
        count(tally)
        tally.last_left = tally.left - before
        self._fetched = tally
        if tally.is_learned:
            self._tell(tally)

    def learned_from(self) -> None:
        """A loss learns from what was delivered, as it was delivered."""
        tally = self._fetched
        if tally is not None:
            tally.is_learned = tally.is_learned or tally.last_left > 0
            if tally.is_learned or not tally.left:
                self._tell(tally)

    def of_loop(self) -> T | None:
        """Returns the tally of the function of the program that runs; None where none does."""
        codes = [frame.f_code for frame in users_frames(sys._getframe(1), most=MOST_FRAMES)]
        if not codes:
            return None
        if codes[0] not in self._by_code:
            self._by_code[codes[0]] = tally = self._make()
            tally.line = turning_line(codes)
        return self._by_code[codes[0]]
