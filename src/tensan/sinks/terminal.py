"""The report as a compiler speaks: headline, place, source with carets, what was seen, the proof, the help."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import ClassVar, TextIO

from tensan.core.edits import diff, nearest
from tensan.core.findings import Told
from tensan.core.report import Report, Run, summary_line
from tensan.sinks._shown import MOST, clean, dropped, more, place, shown

#: A line of text: its parts, each with the name of its style.
Line = list[tuple[str, str]]

_STYLES = {
    "error": "bold red",
    "warning": "bold yellow",
    "hint": "bold cyan",
    "headline": "bold",
    "gutter": "bold blue",
    "note": "bold green",
    "dim": "dim",
    "well": "bold green",
    "": "",
}
#: Columns of a source line that are shown at most; a longer one is cut around its carets.
_WIDEST = 160
_MOST_FOLLOWERS = 4
#: Lines of an edit that are shown at most.
_MOST_CHANGED = 12


class TerminalSink:
    """The `full` format; plain text unless the stream is a terminal that shows colours.

    Attributes:
        hints: whether hints are shown.
        verbose: whether evidence, the armed rules and the cost are shown too.
        limit: how many root causes are shown; None for all.
    """

    format: ClassVar[str] = "full"

    def __init__(self) -> None:
        self.hints = False
        self.verbose = False
        self.limit: int | None = MOST

    def write(self, report: Report, stream: TextIO) -> None:
        """Writes the report; the summary is its last line, whatever else there is."""
        lines = list(self._lines(report))
        text = _coloured(lines) if len(lines) > 1 and _shows_colours(stream) else None
        stream.write(text or "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines))

    def _lines(self, report: Report) -> Iterator[Line]:
        found = shown(report, hints=self.hints)
        limit = len(found) if self.limit is None else self.limit
        for told in found[:limit]:
            yield from finding_lines(told, report, verbose=self.verbose)
            yield []
        if len(found) > limit:
            yield [(more(len(found) - limit, report.run), "headline")]
            yield []
        for reply in report.run.answers:
            yield [("asked", "note"), (f": {clean(reply.question)}", "headline")]
            yield from _detail("  ", *(("answer", reply.text) if reply.text else ("no answer", reply.why_not)))
            yield []
        asides = list(_asides(report.run, verbose=self.verbose))
        if asides:
            yield from asides
            yield []
        yield [(summary_line(report), "headline")]


def finding_lines(told: Told, report: Report, *, verbose: bool = False) -> Iterator[Line]:
    """Yields one finding, line by line, with its consequences."""
    margin = " " * (len(str(told.line)) if told.line else 2)
    preview = " (preview)" if told.preview else ""
    yield [(f"{told.level}[{told.code}]", told.level), (f": {clean(told.message)}{preview}", "headline")]
    if told.path:
        where = place(told.path, told.line, told.column)
        yield [(f"{margin}--> ", "gutter"), (where + (f" in {clean(told.function)}" if told.function else ""), "")]
    if told.source.strip():
        yield from _source(told, margin)
    elif told.label:
        yield [("note", "note"), (f": {clean(told.label)}", "")]
    for related in told.related[:2]:
        where = place(related.get("path"), related.get("line"), related.get("column"))
        yield [("note", "note"), (f": {clean(str(related.get('message', '')))}", ""), (f"   --> {where}" if where else "", "gutter")]
    details = [("seen", seen(told, steps=report.run.steps)), ("proof", told.proof_note or _PROOFS.get(told.proof, told.proof))]
    if verbose and told.evidence:
        details.append(("evidence", ", ".join(f"{key} = {value}" for key, value in told.evidence.items())))
    details += [("help", told.help)] if told.help else []
    details += [("fix", told.tried)] if told.tried else []
    details += [("edit", text) for text in [changed(told)] if text]
    for word, text in details:
        yield from _detail(margin, word, text)
    silence = f"`# tensan: ignore[{told.name}]`    explain: `tensan explain {told.code}`"
    yield [(f"{margin} = ", "gutter"), ("silence", "headline"), (f": {silence}", "dim")]
    followers = report.consequences(told)
    for other in followers[:_MOST_FOLLOWERS]:
        where = place(other.path, other.line)
        yield [
            (f"{margin} = ", "gutter"),
            ("follows", "headline"),
            (f": {other.code} {clean(other.message)}{f' ({where})' if where else ''}", ""),
        ]
    if len(followers) > _MOST_FOLLOWERS:
        yield [(f"{margin} = ", "gutter"), ("follows", "headline"), (f": and {len(followers) - _MOST_FOLLOWERS} more", "")]


def changed(told: Told) -> str:
    """Returns the nearest edit that is known exactly as the lines that go and those that come, or an empty string."""
    edits = nearest(told.repairs)
    lines = diff(edits, context=0).splitlines()
    shown = [line for line in lines if not line.startswith(("---", "+++", "@@", "\\"))]
    if not edits or not shown or len(shown) > _MOST_CHANGED:
        return ""
    first = edits[0]
    where = f"line {first.line}" if told.path and os.path.abspath(first.path) == told.path else place(first.path, first.line)
    return "\n".join([where, *(f"{line[0]} {line[1:]}" for line in shown)])


_PROOFS = {
    "law": "an exact rule of training was broken",
    "intervention": "the step was run again with one thing changed",
    "statistic": "a test with a stated rate of false alarms",
    "hint": "none: worth a look, no more",
}


def seen(told: Told, *, steps: int = 0) -> str:
    """Says when a finding was made, and how often again."""
    who = f"rank {told.rank}, " if told.rank else ""
    again = told.count - 1
    if again <= 0:
        return f"{who}step {told.step}"
    if told.last_step <= told.step:
        return f"{who}step {told.step}, {told.count} times"
    if again == 1 == told.last_step - told.step:
        return f"{who}steps {told.step} and {told.last_step}"
    if again == told.last_step - told.step:
        since = "since" if told.last_step + 1 >= steps else f"up to step {told.last_step}"
        return f"{who}step {told.step}, and each of the {again} steps {since}"
    return f"{who}step {told.step}, and {again} more time{'' if again == 1 else 's'} up to step {told.last_step}"


def _detail(margin: str, word: str, text: str) -> Iterator[Line]:
    first, *rest = text.splitlines() or [""]
    yield [(f"{margin} = ", "gutter"), (word, "headline"), (f": {clean(first)}", "")]
    for line in rest:
        yield [(f"{margin}   {' ' * len(word)}  {clean(line)}", "")]


def _source(told: Told, margin: str) -> Iterator[Line]:
    """Yields the source line with carets under the guilty span; of a span over several lines, the first."""
    source, start, end = _window(told.source.rstrip(), (told.column or 1) - 1, _end_of_span(told))
    yield [(f"{margin} |", "gutter")]
    yield [(f"{told.line} | ", "gutter"), (_printable(source), "")]
    if told.column:
        carets = "^" * max(1, sum(map(_columns, source[start:end])))
        yield [(f"{margin} | ", "gutter"), (_blank(source[:start]), ""), (f"{carets} {clean(told.label)}".rstrip(), told.level)]
    elif told.label:
        yield [(f"{margin} | ", "gutter"), (_blank("".join(takewhile(str.isspace, source))), ""), (clean(told.label), told.level)]


def _end_of_span(told: Told) -> int:
    length = len(told.source.rstrip())
    if told.end_line and told.line and told.end_line > told.line:
        return length
    return min(told.end_column - 1, length) if told.end_column else told.column or 1


def _window(source: str, start: int, end: int) -> tuple[str, int, int]:
    if len(source) <= _WIDEST:
        return source, start, end
    first = max(0, min(start - _WIDEST // 4, len(source) - _WIDEST))
    cut = source[first : first + _WIDEST]
    head, tail = "..." if first else "", "..." if first + _WIDEST < len(source) else ""
    shift = len(head) - first
    return head + cut + tail, start + shift, min(end + shift, len(head + cut))


def _printable(source: str) -> str:
    return "".join(character if character == "\t" or character.isprintable() else "?" for character in source)


def _columns(character: str) -> int:
    return 0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _blank(text: str) -> str:
    """Returns white space as wide as a text: tabs stay tabs, wide characters take two columns."""
    return "".join("\t" if character == "\t" else " " * _columns(character) for character in text)


def _asides(run: Run, *, verbose: bool) -> Iterator[Line]:
    if run.dropped:
        yield [("note", "note"), (f": {dropped(run)}", "")]
    for text in run.notes:
        yield [("note", "note"), (f": {clean(text)}", "")]
    if verbose:
        yield [("note", "note"), (f": armed: {', '.join(run.rules_armed) or 'no rule'}", "")]
        if run.cost:
            yield [("note", "note"), (f": cost: {', '.join(f'{key} {value:g}' for key, value in run.cost.items())}", "")]
        if run.versions:
            yield [("note", "note"), (f": versions: {', '.join(f'{name} {version}' for name, version in run.versions.items())}", "")]


def _shows_colours(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def _coloured(lines: Iterable[Line]) -> str | None:
    """Returns the lines with the codes of their colours, or None where rich cannot be had (a script may have a `rich.py`)."""
    try:
        from rich.console import Console
        from rich.text import Text
    except Exception:  # noqa: BLE001 - whatever took its name may raise anything
        return None
    from io import StringIO

    text = StringIO()
    console = Console(file=text, force_terminal=True, markup=False, highlight=False, emoji=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*((part, _STYLES[style]) for part, style in line)))
    return text.getvalue()
