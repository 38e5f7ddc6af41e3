"""What a case must show: the guilty line named in a bad program, not a word about a good one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tensan.core import plugins
from tensan.core.events.base import handler_name
from tensan.core.events.run import Raised
from tensan.core.findings import Category, Level, Told
from tensan.core.report import Report
from tensan.core.rule import Rule
from tensan.testing.cases import Program, programs
from tensan.testing.stem import Outcome, Stem

#: What a report says of when and how often: it depends on the machine's mood, since the budget decides which steps are looked at.
_VOLATILE = (
    re.compile(r"^SUMMARY: .*$", re.MULTILINE),
    re.compile(r"(?<=seen: ).*"),
    re.compile(r"-?\d+(\.\d+)?e[+-]\d+"),
)


def check_cases(folder: Path, *, rules: Sequence[type[Rule]] | None = None, bless: bool = False) -> None:
    """Runs every program of every case in a folder.

    Args:
        folder: holds the case folders, each named `CODE-name`.
        rules: the rules that the folder may be about; by default all that are installed.
        bless: write the reports anew instead of comparing them.

    Raises:
        CaseError: for a folder that proves nothing as it is.
        AssertionError: with a line for each thing that is not as it must be.
    """
    found = programs(folder, rules=rules if rules is not None else plugins.all_rules())
    with Stem() as stem:
        wrong = [line for program in found for line in check(program, stem, bless=bless)]
    assert not wrong, "\n".join(wrong)


def check(program: Program, stem: Stem, *, bless: bool = False) -> list[str]:
    """Runs one program and returns what is not as it must be, its report included."""
    outcome = run_case(program, stem)
    wrong = list(complaints(program, outcome))
    return wrong or list(report_complaints(program, outcome, bless=bless))


def run_case(program: Program, stem: Stem) -> Outcome:
    """Runs one program with all watching paid for, so that what is seen does not hang on the machine's mood."""
    return stem.run(program.path, flags=flags_for(program.rule))


def flags_for(rule: type[Rule]) -> Mapping[str, Any]:
    """Returns the settings under which a rule's programs run."""
    selected = {"select": ["ALL"]} if rule.category is Category.PEDANTIC else {}  # otherwise they take no part
    return {"overhead": 100.0} | selected | ({"preview": True} if rule.preview else {})


def complaints(program: Program, outcome: Outcome) -> Iterator[str]:
    """Yields what was found and should not have been, or the other way round; nothing where all is well."""
    if outcome.timed_out:
        yield f"{program.name}: did not end in time"
        return
    wanted = 1 if program.is_bad and hasattr(program.rule, handler_name(Raised)) else 0
    if outcome.status != wanted:
        yield f"{program.name}: ended with status {outcome.status}: {_last_line(outcome.stderr)}"
        return
    if outcome.report is None:
        yield f"{program.name}: left no report: {_last_line(outcome.stderr)}"
        return
    yield from (f"{program.name}: {note}" for note in outcome.report.run.notes)
    yield from _silence_wanted(program, outcome.report)
    if program.is_bad:
        yield from _speech_wanted(program, outcome.report)


def report_complaints(program: Program, outcome: Outcome, *, bless: bool = False) -> Iterator[str]:
    """Yields how a report differs from the blessed one beside the program, if one is kept.

    Args:
        program: what was run.
        outcome: how it ended.
        bless: write the report anew instead of comparing it.
    """
    path = program.path.with_name("report.txt")
    kept = path.read_text(encoding="utf-8") if path.is_file() else ""
    if not program.has_report or stable(kept) == stable(outcome.printed):
        return
    if bless:
        path.write_text(outcome.printed, encoding="utf-8")
    else:
        yield f"{program.name}: the report is not the blessed one (`make bless`, then review):\n{outcome.printed}"


def _own(program: Program, report: Report) -> list[Told]:
    """The rule's findings that count: root causes, as loud as the rule can be now."""
    wanted = Level.HINT if program.rule.preview or program.rule.category is Category.PEDANTIC else Level.WARNING
    return [told for told in report.at_least(wanted) if told.code == program.rule.code]


def _is_named(program: Program, told: Told) -> bool:
    return told.path is not None and Path(told.path).resolve() == program.path.resolve() and told.line in program.marked


def _silence_wanted(program: Program, report: Report) -> Iterator[str]:
    own = _own(program, report)
    for told in [*own, *(told for told in report.at_least(Level.WARNING) if told not in own)]:
        if not (program.is_bad and told in own and _is_named(program, told)):
            yield f"{program.name}: unwanted: {_shown(told)}"


def _speech_wanted(program: Program, report: Report) -> Iterator[str]:
    own = _own(program, report)
    lines = {told.line for told in own if _is_named(program, told)}
    wanted = program.guilty if not program.alternatives else program.marked if lines.isdisjoint(program.marked) else frozenset()
    for line in sorted(wanted - lines):
        yield f"{program.name}: not named: line {line}: {program.path.read_text().splitlines()[line - 1].strip()}"
    folded = [told for told in report.findings if told.code == program.rule.code and told not in own]
    yield from (f"{program.name}: folded or too quiet: {_shown(told)}" for told in folded if wanted)
    if wanted and program.rule.code not in report.run.rules_armed:
        yield f"{program.name}: {program.rule.code} was not armed"


def stable(text: str) -> str:
    """Returns a report without what may differ from run to run."""
    for pattern in _VOLATILE:
        text = pattern.sub("...", text)
    return text


def _shown(told: Told) -> str:
    fate = f", explained by {told.caused_by}" if told.caused_by else ""
    return f"{told.level}[{told.code}] line {told.line}: {told.message} (step {told.step}{fate})"


def _last_line(text: str) -> str:
    return text.strip().splitlines()[-1] if text.strip() else ""
