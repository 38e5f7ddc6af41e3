"""The trace that a run belongs to: the one that the environment names, or one of its own; its children are told of it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Self

import msgspec

VARIABLE = "TRACEPARENT"
_FORM = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")


class TraceContext(msgspec.Struct, frozen=True, kw_only=True):
    """A span by its ids, as W3C's `traceparent` writes them."""

    trace: str
    span: str
    flags: str = "01"

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Returns the span that a `traceparent` names; None where it is none."""
        found = _FORM.fullmatch(text.strip())
        return cls(trace=found[1], span=found[2], flags=found[3]) if found else None

    @classmethod
    def of_run(cls, environment: Mapping[str, str]) -> Self:
        """Returns a new span: a child of the one that the environment names, where it names one."""
        above = cls.parse(environment.get(VARIABLE, ""))
        span = os.urandom(8).hex()  # no generator of the script's is drawn from
        return cls(trace=above.trace, span=span, flags=above.flags) if above else cls(trace=os.urandom(16).hex(), span=span)

    def hand_to_children(self) -> None:
        """Lets processes that the script starts belong to this span, behind `os.environ`, which the script may read."""
        os.putenv(VARIABLE, str(self))

    def __str__(self) -> str:
        return f"00-{self.trace}-{self.span}-{self.flags}"
