"""Where findings go."""

from __future__ import annotations

from typing import ClassVar, Protocol, TextIO, runtime_checkable

from tensan.core.report import Report


@runtime_checkable
class Sink(Protocol):
    """Turns a report into one format; `format` is its name on the command line."""

    format: ClassVar[str]

    def write(self, report: Report, stream: TextIO) -> None:
        """Writes the whole report."""
