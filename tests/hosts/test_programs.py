"""Programs that train through a library: the right ones pass in silence, faults are named on the user's line, and none is changed."""

import re
from collections import Counter
from pathlib import Path

import pytest
from hosts.libraries import IMPORTED

from tensan.core.findings import Level
from tensan.testing import compare

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*/*.py"))
MARKER = re.compile(r"#~ (?P<code>[A-Z]+\d+)$")
#: Faults that each library's programs must show, at least.
FAULTS = {"OPT101", "MOD101", "SHP101", "NUM101"}


def marked(program):
    """Returns the findings that a program must have: code and line."""
    lines = enumerate(program.read_text(encoding="utf-8").splitlines(), 1)
    return Counter((marker["code"], number) for number, line in lines if (marker := MARKER.search(line)))


def name_of(program):
    return f"{program.parent.name}/{program.stem}"


def told(report, program):
    """Returns the findings that are shown: code and line, where they lie in the program itself."""
    return Counter(
        (found.code, found.line if found.path and Path(found.path).resolve() == program else f"{found.path}:{found.line}")
        for found in report.at_least(Level.WARNING)
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=name_of)
def test_program(program, stem_of):
    stem = stem_of(program.parent.name)
    bare, watched = stem.run(program, watched=False, remains=True, limit=300.0), stem.run(program, remains=True, limit=300.0)
    assert bare.status == 0, bare.stderr
    assert watched.report is not None, watched.stderr
    assert told(watched.report, program) == marked(program), watched.printed
    for found in watched.report.at_least(Level.WARNING):
        if found.code == "SHP101":  # the loss was played again
            assert found.proof == "intervention", watched.printed
        if found.code == "NUM101":  # and here the whole step
            assert found.evidence["operation"] in ("sqrt", "div"), watched.printed
            assert found.evidence["cured"], watched.printed
    assert not watched.report.run.notes
    assert watched.stdout == bare.stdout
    assert watched.stderr == bare.stderr
    assert not compare(bare, watched)


@pytest.mark.parametrize("library", IMPORTED)
def test_there_are_enough(library):
    own = [program for program in PROGRAMS if program.parent.name == library]
    assert {code for program in own for code, _ in marked(program)} >= FAULTS
    assert sum(not marked(program) for program in own) >= 5
