"""Which findings a report shows, and the words that all text formats share."""

from __future__ import annotations

import linecache

from tensan.core.findings import Category, Level, Told
from tensan.core.report import Report, Run
from tensan.core.sites import shown_path

#: Root causes on the screen of a run; the run file keeps all.
MOST = 20


def shown(report: Report, *, hints: bool) -> list[Told]:
    """Returns the root causes to show: hints only where they are asked for, as those of a pedantic rule are by selecting it."""
    return [told for told in report.roots if hints or told.level != Level.HINT.word or told.category == Category.PEDANTIC]


def lines_of(path: str) -> list[str]:
    """Returns the lines of a file as Python read it; none where it cannot be had."""
    try:
        return linecache.getlines(path)
    except ValueError:  # no file can be called so
        return []


def clean(text: str) -> str:
    """Returns text that cannot move the cursor: names and messages of a program may hold anything."""
    return "".join(character if character.isprintable() else character.encode("unicode_escape").decode() for character in text)


def place(path: object, line: object, column: object = None) -> str:
    """Returns a place as `path:line:column`, with as much of it as is known."""
    return clean(":".join([shown_path(str(path)), *(str(part) for part in (line, column) if part)])) if path else ""


def more(count: int, run: Run) -> str:
    """Says how many root causes were left out, and where they are."""
    return f"... and {count} more: `tensan report`" + (f" (rank {run.rank})" if run.rank else "")


def dropped(run: Run) -> str:
    """Says how many findings were counted but not kept."""
    return f"{run.dropped} more finding{'' if run.dropped == 1 else 's'} of rules that had spoken often enough: counted, not kept"
