"""The report with one line a finding, as compilers write them and editors read them."""

from __future__ import annotations

from typing import ClassVar, TextIO

from tensan.core.findings import Told
from tensan.core.report import Report, summary_line
from tensan.sinks._shown import MOST, clean, dropped, more, place, shown


class ConciseSink:
    """The `concise` format: `path:line:column: level[CODE] message`.

    Attributes:
        hints: whether hints are shown.
        limit: how many root causes are shown; None for all.
    """

    format: ClassVar[str] = "concise"

    def __init__(self) -> None:
        self.hints = False
        self.limit: int | None = MOST

    def write(self, report: Report, stream: TextIO) -> None:
        """Writes a line for each root cause and the summary."""
        found = shown(report, hints=self.hints)
        limit = len(found) if self.limit is None else self.limit
        lines = [finding_line(told) for told in found[:limit]]
        if len(found) > limit:
            lines.append(f"tensan: {more(len(found) - limit, report.run)}")
        if report.run.dropped:
            lines.append(f"tensan: {dropped(report.run)}")
        lines += [f"tensan: {clean(text)}" for text in report.run.notes]
        stream.write("\n".join([*lines, summary_line(report)]) + "\n")


def finding_line(told: Told) -> str:
    """Returns one finding in one line."""
    return f"{place(told.path, told.line, told.column) or 'tensan'}: {told.level}[{told.code}] {clean(told.message)}"
