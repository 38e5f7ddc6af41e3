"""Programs that end in an error of the framework: the traceback is theirs, the explanation names the makers, its edits run.

The programs were written before the explainer. A line marked `#~ fails` is where the error belongs, each `#~ maker` is a line that made
what met there, and each `#~ edit:` at the top is a way to put it right. `#~ said:` is what must stand under the carets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tensan.core.edits import applied

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
#: Programs that fail while a batch is loaded, in the script's own process or in a worker, where the error's text alone comes back.
LOADING = sorted((Path(__file__).parent / "loading" / "programs").glob("*.py"))
#: Shares of all programs for which the explanation must be right.
MAKERS_RIGHT, EDIT_RUNS = 0.9, 0.8


@dataclass
class Expected:
    """What a program's comments say about its end."""

    code: str = ""
    edits: list[str] = field(default_factory=list)
    fails: int = 0
    makers: set[int] = field(default_factory=set)
    said: list[str] = field(default_factory=list)


def expected_of(program: Path) -> Expected:
    found = Expected()
    for number, line in enumerate(program.read_text().splitlines(), 1):
        head = re.match(r"#~ (crash|edit|said): (.*)$", line)
        if head and head[1] == "crash":
            found.code = head[2].strip()
        elif head and head[1] == "said":
            found.said.append(head[2].strip())
        elif head:
            found.edits.append(head[2].strip())
        elif line.rstrip().endswith("#~ fails"):
            found.fails = number
        elif line.rstrip().endswith("#~ maker"):
            found.makers.add(number)
    return found


def finding_of(outcome, code):
    return next((told for told in outcome.report.findings if told.code == code), None)


def named_lines(told, program: Path) -> set[int]:
    """The lines of the program that a finding names, as places or in its words."""
    lines = {related["line"] for related in told.related if related["path"] == str(program)}
    words = " ".join(str(related["message"]) for related in told.related)
    return lines | {told.line} | {int(line) for line in re.findall(rf"{program.name}:(\d+)", words)}


@pytest.mark.parametrize("program", [*PROGRAMS, *LOADING], ids=lambda program: program.stem)
def test_end_is_the_program_s_own(program, stem, watched):
    bare, seen = stem.run(program, watched=False), watched(program)
    assert seen.status == bare.status == 1
    assert seen.stdout == bare.stdout
    assert seen.stderr.splitlines() == bare.stderr.splitlines()
    assert not seen.report.run.notes


@pytest.mark.parametrize("program", [*PROGRAMS, *LOADING], ids=lambda program: program.stem)
def test_says_what_and_where(program, watched):
    expected, outcome = expected_of(program), watched(program)
    told = finding_of(outcome, expected.code)
    assert told is not None, outcome.printed
    assert (told.path, told.line) == (str(program), expected.fails), outcome.printed
    assert told.level == "error"
    assert told.proof == "law"


@pytest.mark.parametrize("program", LOADING, ids=lambda program: program.stem)
def test_loading_names_item_and_way(program, watched):
    expected = expected_of(program)
    told = finding_of(watched(program), expected.code)
    assert expected.makers <= named_lines(told, program), told.related
    assert all(words in told.label for words in expected.said), told.label
    assert not expected.edits or any(edit in told.help for edit in expected.edits), told.help


def test_an_error_of_a_worker_that_was_caught_is_not_told(stem, tmp_path):
    program = tmp_path / "caught.py"
    text = (Path(__file__).parent / "loading" / "programs" / "worker_next_row.py").read_text()
    before, after = text.split("for now, then in")
    loop = "".join(f"    {line}\n" for line in f"for now, then in{after}".splitlines())
    program.write_text(f"{before}try:\n{loop}except IndexError:\n    print('caught')\n")
    outcome = stem.run(program)
    assert (outcome.status, outcome.stdout.split()) == (0, ["caught"])
    assert finding_of(outcome, "SHP203") is None, outcome.printed


def test_makers_are_right(watched):
    wrong = {}
    for program in PROGRAMS:
        expected = expected_of(program)
        told = finding_of(watched(program), expected.code)
        missing = expected.makers - named_lines(told, program) if told is not None else expected.makers
        if missing:
            wrong[program.stem] = sorted(missing)
    assert 1 - len(wrong) / len(PROGRAMS) >= MAKERS_RIGHT, wrong


def test_an_offered_edit_is_right_and_runs(stem, watched, tmp_path):
    wrong = {}
    for program in PROGRAMS:
        expected = expected_of(program)
        told = finding_of(watched(program), expected.code)
        if told is None or not any(edit in told.help for edit in expected.edits):
            wrong[program.stem] = told.help if told is not None else "no finding"
            continue
        statuses = []
        for repair in told.repairs:
            text = applied(program.read_text(), repair.edits) if repair.edits else None
            if text is not None:
                edited = tmp_path / program.name
                edited.write_text(text)
                statuses.append(stem.run(edited, watched=False).status)
        if 0 not in statuses:
            wrong[program.stem] = f"{told.help}: {statuses}"
    assert 1 - len(wrong) / len(PROGRAMS) >= EDIT_RUNS, wrong
