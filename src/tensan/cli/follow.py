"""Follows a run that goes on: where it stands, what was found, and its curves, until it ends or the reader has seen enough."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from tensan.core.curves import IN_WORDS
from tensan.core.findings import Level
from tensan.core.report import Report, summary_line
from tensan.launch.merged import merged, read_all
from tensan.sinks._shown import clean, shown
from tensan.sinks._sparkline import span, sparkline
from tensan.sinks.concise import finding_line

#: Seconds between two looks, and between two lines where there is no terminal and nothing was found.
EVERY, LINE_EVERY = 0.5, 10.0
#: Findings that are shown beside the curves: the last ones.
MOST_FINDINGS = 8
MOST_CURVES = 6


def follow(paths: Callable[[], Sequence[Path]], stream: TextIO, *, hints: bool = False, wait: Callable[[float], None] = time.sleep) -> None:
    """Shows a run until it ends; Ctrl-C ends the showing, never the run.

    Args:
        paths: the run files of all processes of the run, that of the first one first; asked anew at each look.
        stream: a terminal is drawn anew each time, anything else gets lines.
        hints: whether hints are shown.
        wait: what passes the time.

    Raises:
        RunFileError: when the run cannot be read at all.
    """
    show = _Screen(stream, hints=hints) if stream.isatty() else _Lines(stream, hints=hints)
    try:
        while True:
            reports = list(read_all(paths()))
            going_on = any(report.run.status == "running" for report in reports)
            show.look(reports, last=not going_on)
            if not going_on:
                return
            wait(EVERY)
    except KeyboardInterrupt:
        show.leave()


class _Lines:
    """Writes a line for each new finding, and now and then where the run stands."""

    def __init__(self, stream: TextIO, *, hints: bool) -> None:
        self._stream, self._hints = stream, hints
        self._told: set[str] = set()
        self._next = 0.0

    def look(self, reports: Sequence[Report], *, last: bool) -> None:
        """Writes what is new."""
        report = merged(reports)
        lines = []
        for told in shown(report, hints=self._hints):
            if told.fingerprint not in self._told:
                self._told.add(told.fingerprint)
                lines.append(finding_line(told))
        if last:
            lines.append(summary_line(report))
        elif lines or time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_EVERY
            lines.append(standing(reports))
        self._stream.write("".join(line + "\n" for line in lines))
        self._stream.flush()

    def leave(self) -> None:
        """Ends the showing."""


class _Screen:
    """Draws everything anew in place of what was there."""

    def __init__(self, stream: TextIO, *, hints: bool) -> None:
        self._stream, self._hints = stream, hints
        self._height = 0

    def look(self, reports: Sequence[Report], *, last: bool) -> None:
        """Draws where the run stands."""
        import shutil

        width, height = shutil.get_terminal_size()
        lines = [line[: width - 1] for line in picture(reports, width=width, hints=self._hints, last=last)]
        if len(lines) >= height:
            lines = lines[: height - 1]  # what has scrolled away could not be drawn anew
        back = f"\x1b[{self._height}F" if self._height else ""
        self._stream.write(back + "".join(f"{line}\x1b[K\n" for line in lines) + "\x1b[J")
        self._stream.flush()
        self._height = len(lines)

    def leave(self) -> None:
        """Leaves the last picture where it is."""
        self._stream.write("\n")
        self._stream.flush()


def standing(reports: Sequence[Report]) -> str:
    """Says in one line where a run stands."""
    report = merged(reports)
    run = report.run
    found = len(report.at_least(Level.WARNING))
    values = [f"{IN_WORDS[kind]} {points[-1][1]:.4g}" for kind, _, points in _curves(report) if points]
    parts = [
        f"step {run.steps:,}",
        *dict.fromkeys(values),
        f"{found} finding{'' if found == 1 else 's'}",
        f"overhead {run.overhead_pct:.1f} %",
    ]
    if len(reports) > 1:
        parts.append(f"{len(reports)} processes")
    return "; ".join(parts)


def picture(reports: Sequence[Report], *, width: int, hints: bool = False, last: bool = False) -> Iterator[str]:
    """Yields the lines of the screen: status, curves, findings."""
    report = merged(reports)
    run = report.run
    yield f"tensan: {clean(run.script)}: {run.status}, step {run.steps:,}, overhead {run.overhead_pct:.1f} %"
    if len(reports) > 1:
        yield "ranks: " + ", ".join(f"{each.run.rank} at step {each.run.steps:,}" for each in reports)
    curves = list(_curves(report))
    if curves:
        yield ""
        room = max(width - 36, 10)
        for kind, name, points in curves:
            low, high = span(points)
            bars = sparkline(points, width=room, low=low, high=high, last_step=run.steps)
            yield f"{IN_WORDS[kind]:14} {bars} {points[-1][1]:<10.4g}" + (f" {clean(name)}" if len(curves) > len(IN_WORDS) else "")
    yield ""
    found = shown(report, hints=hints)
    for told in found[-MOST_FINDINGS:]:
        yield finding_line(told)
    if len(found) > MOST_FINDINGS:
        yield f"... and {len(found) - MOST_FINDINGS} more: `tensan report`"
    yield summary_line(report) if last else f"{len(found)} finding{'' if len(found) == 1 else 's'} so far; Ctrl-C leaves, the run goes on"


def _curves(report: Report) -> Iterable[tuple[str, str, list[tuple[int, float]]]]:
    found = [(kind, each.name, each.numbers()) for kind in IN_WORDS for each in report.curves.of(kind)]
    return found[:MOST_CURVES]
