"""A report: what one run was and what was found in it. Every format is a rendering of this."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from tensan.core.actions import Action
from tensan.core.curves import Curves
from tensan.core.diagram import Diagram
from tensan.core.edits import diff, nearest
from tensan.core.findings import Level, Told
from tensan.core.goal import Progress

SCHEMA = 1


class Reply(msgspec.Struct, kw_only=True):
    """What came of a question that `--ask` put.

    Attributes:
        text: the answer in words, over several lines where there is much to say; empty where nothing can be concluded.
        why_not: why nothing can be concluded, where that is so.
        value: the relative change that an intervention made, of the first where there were several.
        details: the same for programs.
    """

    question: str
    text: str = ""
    why_not: str = ""
    value: float | None = None
    step: int = 0
    details: dict[str, object] = {}


class Run(msgspec.Struct, kw_only=True):
    """The run itself; the fields are those of the JSON document's `run`.

    Attributes:
        answers: one for each question that was asked, in the order of the questions.
        actions: what was done to keep the run alive, the first of them; the notes tell of them in few lines.
        goal: how the run stands to what it is for, where the user has said that.
        replay: the token with which a run begins as this one did, where it was deterministic.
        suppressed: how many findings an ignore or the baseline silenced, consequences included; silenced: their fingerprints.
    """

    script: str = ""
    status: str = "running"
    exit_status: int | None = None
    steps: int = 0
    overhead_pct: float = 0.0
    versions: dict[str, str] = {}
    rules_armed: list[str] = []
    not_checked: list[str] = []
    rules_total: int = 0
    suppressed: int = 0
    silenced: list[str] = []
    dropped: int = 0
    rank: int = 0
    pid: int = 0
    started: str = ""
    cost: dict[str, float] = {}
    notes: list[str] = []
    answers: list[Reply] = []
    actions: list[Action] = []
    goal: Progress | None = None
    replay: str = ""


class Report(msgspec.Struct, kw_only=True):
    """The JSON document: schema, run, findings with root causes first.

    Attributes:
        curves: figures over the steps; diagrams: of some of them. Only where the report was read from a run file: they are not part
            of the document.
    """

    schema: int = SCHEMA
    run: Run = msgspec.field(default_factory=Run)
    findings: list[Told] = []
    curves: Curves = msgspec.field(default_factory=Curves)
    diagrams: list[Diagram] = []

    @property
    def roots(self) -> list[Told]:
        """The findings that no other one explains."""
        return [told for told in self.findings if told.caused_by is None]

    def at_least(self, level: Level) -> list[Told]:
        """The root causes of at least that level."""
        return [told for told in self.roots if Level[told.level.upper()] >= level]

    def consequences(self, cause: Told) -> list[Told]:
        """What a root cause accounts for."""
        return [told for told in self.findings if told.caused_by == cause.fingerprint and told is not cause]


_LEVELS = {"error": 0, "warning": 1, "hint": 2}


def ordered(findings: Iterable[Told]) -> list[Told]:
    """Returns findings in the order of reading: root causes first, the loudest first, then by step and place."""
    return sorted(
        findings,
        key=lambda told: (told.caused_by is not None, _LEVELS[told.level], told.step, told.path or "", told.line or 0, told.code),
    )


def summary_line(report: Report, *, shown: int | None = None) -> str:
    """Returns the line that always stands last, also when all is well, so that silence is never mistaken for health."""
    run = report.run
    count = len(report.at_least(Level.WARNING)) if shown is None else shown
    parts = [f"{count} finding{'' if count == 1 else 's'}", f"{len(run.rules_armed)} of {run.rules_total} rules armed"]
    if run.not_checked:
        parts.append("not checked: " + ", ".join(run.not_checked))
    if run.suppressed:
        parts.append(f"{run.suppressed} suppressed")
    if run.status not in ("completed", "running"):
        parts.append(f"script {run.status}")
    if run.status == "running":
        parts.append("still running")
    parts += [f"{run.steps} step{'' if run.steps == 1 else 's'}", f"overhead {run.overhead_pct:.1f} %"]
    return "SUMMARY: tensan: " + "; ".join(parts)


def patch_of(report: Report, *, folder: str = "") -> str:
    """Returns the nearest edit that is known exactly, of each root cause that has one, as a diff that `git apply` takes.

    Args:
        report: what was found; hints are left out.
        folder: what paths are relative to; by default the working folder.
    """
    return diff((edit for told in report.at_least(Level.WARNING) for edit in nearest(told.repairs)), folder=folder)
