"""Compare two runs: what is new, what is fixed, what was only silenced, what is still there."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from tensan.cli.parser import Parser
from tensan.core import runfile, settings
from tensan.core.curves import IN_WORDS
from tensan.core.findings import Told
from tensan.core.report import Report
from tensan.core.sites import shown_path
from tensan.sinks._sparkline import span, sparkline


def configure(parser: Parser) -> None:
    """Adds the options."""
    parser.add_argument("before", nargs="?", metavar="RUN", help="a run file or a JSON report (default: the last run but one)")
    parser.add_argument("after", nargs="?", metavar="RUN", help="another one (default: the latest run)")


def execute(options: argparse.Namespace) -> int:
    """Prints the comparison.

    Raises:
        RunFileError: when a run cannot be read.
    """
    from tensan.launch.saved import read

    folder = Path(settings.load().output)
    before = Path(options.before) if options.before else runfile.latest(folder, before=1)
    after = Path(options.after) if options.after else runfile.latest(folder)
    print("\n".join(comparison(read(before), read(after))))
    sys.stdout.flush()
    return 0


def comparison(before: Report, after: Report) -> Iterator[str]:
    """Yields the comparison of root causes, line by line; a finding is the same where its fingerprint is."""
    old, new = ({told.fingerprint: told for told in report.roots if told.level != "hint"} for report in (before, after))
    silenced = frozenset(after.run.silenced)
    groups = {
        "new": [told for key, told in new.items() if key not in old],
        "fixed": [told for key, told in old.items() if key not in new and key not in silenced],
        "silenced": [told for key, told in old.items() if key not in new and key in silenced],
        "still there": [told for key, told in new.items() if key in old],
    }
    for word, group in groups.items():
        for told in group:
            yield f"{word}: {_line(told)}"
    unarmed = sorted({told.code for told in groups["fixed"]} - set(after.run.rules_armed))
    if unarmed:
        verb = "was" if len(unarmed) == 1 else "were"
        yield f"note: {', '.join(unarmed)} {verb} not armed in the second run: nothing could be said there"
    yield from curves_side_by_side(before, after)
    yield "; ".join(f"{len(group)} {word}" for word, group in groups.items() if group or word != "silenced")


_WIDTH = 24


def curves_side_by_side(before: Report, after: Report) -> Iterator[str]:
    """Yields each kind of curve that both runs have, on one scale; the first of its kind, since lines move between runs."""
    for kind, word in IN_WORDS.items():
        pair = [next((each.numbers() for each in report.curves.of(kind)), []) for report in (before, after)]
        if all(pair):
            low, high = span([*pair[0], *pair[1]])
            end = max(points[-1][0] for points in pair)
            drawn = [f"{sparkline(points, width=_WIDTH, low=low, high=high, last_step=end)} {points[-1][1]:<10.4g}" for points in pair]
            yield f"{word:14} {drawn[0]} -> {drawn[1]}".rstrip()


def _line(told: Told) -> str:
    where = f" ({shown_path(told.path)}:{told.line})" if told.path else ""
    return f"{told.level}[{told.code}] {told.message}{where}"
