"""A law: what an exception of some type that says some words is, in the taxonomy."""

from __future__ import annotations

import re

import msgspec

from tensan.core.faults import Fault, Phase


class Law(msgspec.Struct, frozen=True):
    """What an exception is.

    Attributes:
        raised: the classes it is raised as, separated by blanks: `torch.OutOfMemoryError` is a class of that name anywhere in the package
            `torch`, `torch.*` any class of it, `RuntimeError` the built-in one. A class below one of these counts as well.
        says: a regular expression that is found in its message, in upper or lower case; empty for any.
        means: the class of the taxonomy.
        hint: what to do, where something better than the class's own hint can be said.
        phase: what the program was doing, where that is certain from these words.
        retryable: whether it may be tried again, where that differs from the class.
    """

    raised: str
    says: str
    means: type[Fault]
    hint: str = ""
    phase: Phase | None = None
    retryable: bool | None = None

    def holds(self, names: frozenset[str], text: str) -> bool:
        """Tells whether it speaks of an exception with classes of these names and this message."""
        return not names.isdisjoint(self.raised.split()) and re.search(self.says, text, re.DOTALL | re.IGNORECASE) is not None
