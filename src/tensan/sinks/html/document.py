"""Puts the page together: templates, style and script in one file that may load nothing, and no script but its own."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tensan._version import __version__
from tensan.core.report import Report, summary_line
from tensan.sinks._shown import dropped, shown
from tensan.sinks.html import words
from tensan.sinks.html.cards import cards
from tensan.sinks.html.diagram import steps
from tensan.sinks.html.heatmap import heatmap
from tensan.sinks.html.timeline import timeline
from tensan.sinks.html.watching import watching

_FOLDER = Path(__file__).parent / "templates"
_STATUS = {
    "completed": "completed",
    "running": "still running",
    "stopped": "stopped by tensan",
    "raised": "ended with an exception",
    "interrupted": "interrupted",
    "cut short": "cut short: the process died",
}


def page(report: Report, *, hints: bool = False, live: str = "", ranks: Sequence[str] = ()) -> str:
    """Returns the page of a report.

    Args:
        report: with its curves where it comes from a run file.
        hints: whether hints are shown among the findings.
        live: what the version of the page is called where it is served as the run goes on; it asks its server for another then.
        ranks: where each process of the run stands, where there are several.
    """
    style, script = (_text(name) for name in ("style.css", "behaviour.js"))
    found = shown(report, hints=hints)
    return (
        _templates()
        .get_template("page.html.jinja")
        .render(
            run=report.run,
            title=Path(report.run.script).name or "a run",
            status=_STATUS.get(report.run.status, report.run.status),
            cards=cards(report, found),
            counts=[(level, sum(told.level == level for told in found)) for level in ("error", "warning", "hint")],
            hidden=len(report.roots) - len(found),
            timeline=timeline(report, found),
            heatmap=heatmap(report.curves),
            steps=steps(report.diagrams, found),
            facts=report.curves.facts,
            watching=watching(report.run),
            dropped=dropped(report.run) if report.run.dropped else "",
            summary=summary_line(report),
            live=live,
            ranks=ranks,
            version=__version__,
            style=style,
            script=script,
            style_hash=_hash(style),
            script_hash=_hash(script),
        )
    )


@lru_cache(maxsize=1)
def _templates() -> Any:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        finalize=words.finished,  # whatever a template forgets
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["prose"] = words.prose
    environment.globals["counted"] = words.counted
    return environment


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Returns what the page's policy knows a style or script by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
