"""Two dozen ways in which gradient is zero or lost: the rule that names the cause speaks, at the line that is marked `#~ here`."""

from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
#: A mean that centring has fixed, while its targets vary; a gate that is saturated for all inputs but a few.
MISSED = {"centred_mean", "sigmoid_mostly"}


def expected_of(program: Path) -> tuple[str, int]:
    lines = program.read_text().splitlines()
    return lines[0].removeprefix("#~ zero: "), next(number for number, line in enumerate(lines, 1) if line.endswith("#~ here"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_cause_and_line(program, watched):
    outcome = watched(program, flags={"preview": True})
    assert outcome.status == 0, outcome.stderr
    told = {(found.code, found.line) for found in outcome.report.findings if found.path == str(program)}
    if program.stem in MISSED:
        assert not told, "no longer missed"
    else:
        assert expected_of(program) in told, outcome.printed
