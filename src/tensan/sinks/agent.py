"""The report as one short Markdown page for a coding agent: cause, code around it, proof, fix, and what was not checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, TextIO

from tensan.core.findings import Told
from tensan.core.report import Report, summary_line
from tensan.sinks._shown import MOST, clean, lines_of, more, place, shown

#: Lines of source before and after the guilty one.
AROUND = 3


class AgentSink:
    """The `agent` format.

    Attributes:
        hints: whether hints are shown.
        limit: how many root causes are shown; None for all.
    """

    format: ClassVar[str] = "agent"

    def __init__(self) -> None:
        self.hints = False
        self.limit: int | None = MOST

    def write(self, report: Report, stream: TextIO) -> None:
        """Writes the page."""
        stream.write("\n".join(self._lines(report)) + "\n")

    def _lines(self, report: Report) -> Iterator[str]:
        found = shown(report, hints=self.hints)
        limit = len(found) if self.limit is None else self.limit
        if not found:
            yield f"No findings in `{clean(report.run.script)}`."
        for number, told in enumerate(found[:limit], 1):
            yield from _finding(number, told, report)
        if len(found) > limit:
            yield more(len(found) - limit, report.run)
        for reply in report.run.answers:
            yield f"## asked: {clean(reply.question)}"
            yield from map(clean, reply.text.splitlines() or [f"No answer: {reply.why_not}."])
            yield ""
        if report.run.not_checked:
            yield f"Not checked: {'; '.join(map(clean, report.run.not_checked))}."
        yield from map(clean, report.run.notes)
        yield summary_line(report)


def _finding(number: int, told: Told, report: Report) -> Iterator[str]:
    yield f"## {number}. {told.level} {told.code} {told.name}: {clean(told.message)}"
    where = place(told.path, told.line, told.column)
    if where:
        yield f"at {where}" + (f" in `{clean(told.function)}`" if told.function else "")
        yield from _code(told)
    for related in told.related[:2]:
        yield f"- {clean(str(related.get('message', '')))}: {place(related.get('path'), related.get('line')) or 'no place'}"
    again = f", {told.count} times, last at step {told.last_step}" if told.count > 1 else ""
    yield f"- proof ({told.proof}): {clean(told.proof_note) or 'an exact rule of training was broken'}; step {told.step}{again}"
    if told.evidence:
        yield "- evidence: " + clean(", ".join(f"{key}={value}" for key, value in told.evidence.items()))
    if told.help:
        yield f"- fix: {clean(told.help)}"
    if told.tried:
        yield f"- fix tried: {clean(told.tried)}"
    followers = report.consequences(told)
    if followers:
        yield "- explains: " + "; ".join(f"{other.code} {clean(other.message)}" for other in followers)
    yield ""


def _code(told: Told) -> Iterator[str]:
    """Yields the lines around the guilty one, which is marked; the one line that the report kept where the file is gone."""
    assert told.path is not None
    line = told.line or 1
    whole = lines_of(told.path)
    lines = {number: whole[number - 1].rstrip("\n") for number in range(max(1, line - AROUND), min(line + AROUND, len(whole)) + 1)}
    if lines.get(line) != told.source.rstrip("\n"):  # the file has changed since
        lines = {line: told.source}
    yield "```python"
    for number, text in lines.items():
        if text or number == line:
            yield f"{'>' if number == line else ' '}{number:4} {clean(text)}"
    yield "```"
