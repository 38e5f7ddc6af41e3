"""Axes that are exchanged while their sizes agree: told once, at the guilty operation; the same program as it should be gives no alarm."""

import pytest
from axes.scrambles import RIGHT_LOSS, SCRAMBLES

from tensan.core.findings import Level

CODE = "SHP105"


def told(tmp_path, watched, text):
    program = tmp_path / "train.py"
    program.write_text(text)
    outcome = watched(program, flags={"overhead": 100.0})
    assert outcome.status == 0, outcome.stderr
    assert outcome.report is not None
    assert not outcome.report.run.notes
    return outcome.report


@pytest.mark.parametrize("name", SCRAMBLES)
def test_guilty_operation_is_told_once(name, tmp_path, watched):
    text = SCRAMBLES[name].program(right=False)
    guilty = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("#~")]
    report = told(tmp_path, watched, text)
    ours = [found for found in report.findings if found.code == CODE]
    assert [found.line for found in ours] == guilty, [(found.code, found.line, found.message) for found in report.findings]
    assert len(report.at_least(Level.WARNING)) == 1, [(found.code, found.line, found.message) for found in report.roots]


@pytest.mark.parametrize("name", SCRAMBLES)
def test_mended_program_is_passed_by(name, tmp_path, watched):
    scramble = SCRAMBLES[name]
    if name in RIGHT_LOSS:
        scramble = scramble._replace(loss=RIGHT_LOSS[name])
    report = told(tmp_path, watched, scramble.program(right=True))
    assert not report.at_least(Level.WARNING)
    assert not [found for found in report.findings if found.code == CODE]
