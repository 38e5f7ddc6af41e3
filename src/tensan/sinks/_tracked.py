"""What all trackers take of a report: its curves by key, its counts, and a line for each finding."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tensan.core.curves import GRADIENT, LOSS, RATE, UPDATE, Curves
from tensan.core.findings import Level, Told
from tensan.core.report import Report
from tensan.sinks._shown import MOST

#: Kinds of curves, under the keys that they have in every tracker.
KEYS = {LOSS: "loss", GRADIENT: "gradient_norm", RATE: "learning_rate", UPDATE: "update_ratio"}
_NOT_IN_KEYS = re.compile(r"[^\w .:-]+", re.ASCII)


def scalars(curves: Curves) -> Iterator[tuple[str, list[tuple[int, float]]]]:
    """Yields the points of each curve under a key of its own, such as `tensan/loss`, with whose curve it is where there are several."""
    for kind, key in KEYS.items():
        found = curves.of(kind)
        for each in found:
            yield f"tensan/{key}" + (f"/{_NOT_IN_KEYS.sub('', each.name)}" if len(found) > 1 else ""), each.numbers()


def counts(report: Report) -> dict[str, int]:
    """Returns how many findings there are of each level that is shown."""
    errors = len(report.at_least(Level.ERROR))
    return {"errors": errors, "warnings": len(report.at_least(Level.WARNING)) - errors}


def fixes(report: Report) -> dict[str, str]:
    """Returns what came of trying fixes, by the key of the finding's code, such as `tensan.SHP101.fix`."""
    found: dict[str, list[str]] = {}
    for each in told(report):
        if each.tried:
            found.setdefault(f"tensan.{each.code}.fix", []).append(each.tried)
    return {key: "\n".join(lines) for key, lines in found.items()}


def told(report: Report) -> list[Told]:
    """Returns the root causes that are worth telling, as many as go onto a screen."""
    return report.at_least(Level.WARNING)[:MOST]
