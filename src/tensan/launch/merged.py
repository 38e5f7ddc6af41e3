"""One report of all processes of a run: what each has found once, and the curves and steps of the others under their rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from tensan.core.curves import Series
from tensan.core.errors import RunFileError
from tensan.core.report import Report, ordered
from tensan.launch.saved import read


def read_all(paths: Sequence[Path]) -> Iterator[Report]:
    """Yields the reports of the processes of a run, as far as they can be read.

    Raises:
        RunFileError: when that of the first one cannot.
    """
    for number, path in enumerate(paths):
        try:
            yield read(path)
        except RunFileError:
            if number == 0:
                raise  # a sibling's file may be a moment old and empty


def merged(reports: Sequence[Report]) -> Report:
    """Returns one report of all processes: the run of the first one, each finding once, curves and steps of the others by their rank."""
    first, *others = reports
    known = {told.fingerprint for told in first.findings}
    findings = list(first.findings)
    for report in others:
        findings += [told for told in report.findings if told.fingerprint not in known]
        known |= {told.fingerprint for told in report.findings}
    curves = msgspec.structs.replace(first.curves, series=[*first.curves.series, *(each for report in others for each in _of_rank(report))])
    seen = [(each.nodes, each.edges) for each in first.diagrams]
    diagrams = [
        msgspec.structs.replace(each, title=f"{each.title}, rank {report.run.rank}")
        for report in others
        for each in report.diagrams
        if (each.nodes, each.edges) not in seen  # replicas do the same
    ]
    return Report(run=first.run, findings=ordered(findings), curves=curves, diagrams=[*first.diagrams, *diagrams])


def _of_rank(report: Report) -> Iterator[Series]:
    for each in report.curves.series:
        yield msgspec.structs.replace(each, name=f"rank {report.run.rank}: {each.name}")
