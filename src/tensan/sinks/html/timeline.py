"""What happened over the steps: loss, gradient norm, learning rate and relative updates under one another, events marked in each."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tensan.core.curves import GRADIENT, LOSS, RATE, UPDATE, Series
from tensan.core.findings import Told
from tensan.core.report import Report
from tensan.sinks.html.chart import Chart, chart, steps_axis
from tensan.sinks.html.words import counted, harmless

#: Lines of events beyond this would fill the charts; the list below them is cut here as well.
MOST_MARKS = 40
MOST_LISTED = 60

_CHARTS = (
    (LOSS, "Loss", "As the program differentiated it, one curve for each `backward` of it."),
    (GRADIENT, "Gradient norm", "As the optimizer met it: over all of its parameters, after any clipping."),
    (RATE, "Learning rate", "As the optimizer read it."),
    (
        UPDATE,
        "Relative update",
        "Of the weights with the largest gradient in each parameter, the median change of a step relative to the weight. "
        "Around 0.001 is usual; 0 means that nothing moves, 1 that a step replaces what was learned.",
    ),
)


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the list of events."""

    step: str
    kind: str
    label: str
    what: str
    target: str = ""


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """The charts and the list of events."""

    charts: tuple[Chart, ...]
    missing: tuple[str, ...]
    happenings: tuple[Happening, ...]
    more: int


def timeline(report: Report, shown: Sequence[Told]) -> Timeline:
    """Returns the timeline of a run; each finding is marked with its number in the list of findings."""
    curves = report.curves
    last = max((step for each in curves.series for step, _ in each.points), default=0)
    across = steps_axis(max(report.run.steps, last))
    marks = curves.marks if len(curves.marks) <= MOST_MARKS else []
    events = [(mark.step, "mark", "") for mark in marks]
    events += [(told.step, told.level, str(number)) for number, told in _first_of_each_step(shown)]
    charts, missing = [], []
    for kind, title, about in _CHARTS:
        series = [msgspec.structs.replace(each, name=harmless(each.name)) for each in curves.of(kind)]
        made = chart(series, id=kind, title=title, about=about, across=across, events=events)
        if made is not None:
            charts.append(made)
        else:
            missing.append(title.lower() + _why(series))
    found = [
        (
            told.step,
            Happening(step=f"{told.step:,}", kind=told.level, label=str(number), what=f"{told.code} {told.message}", target=_id(number)),
        )
        for number, told in enumerate(shown, 1)
    ]
    found += [(mark.step, Happening(step=f"{mark.step:,}", kind="mark", label="", what=mark.what)) for mark in curves.marks]
    found.sort(key=lambda pair: (pair[0], pair[1].kind == "mark"))
    return Timeline(
        charts=tuple(charts),
        missing=tuple(missing),
        happenings=tuple(happening for _, happening in found[:MOST_LISTED]),
        more=max(0, len(found) - MOST_LISTED),
    )


def _why(series: Sequence[Series]) -> str:
    points = sum(len(each.points) for each in series)
    return f" ({counted(points, 'value')}, none of them finite)" if points else ""


def _first_of_each_step(shown: Sequence[Told]) -> list[tuple[int, Told]]:
    """Returns a finding for each step that has any, with its number: labels at one place would hide each other."""
    found: dict[int, tuple[int, Told]] = {}
    for number, told in enumerate(shown, 1):
        found.setdefault(told.step, (number, told))
    return list(found.values())


def _id(number: int) -> str:
    return f"finding-{number}"
