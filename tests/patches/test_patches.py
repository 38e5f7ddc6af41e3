"""Each edit that a rule offers: it parses, `git apply` takes it, and the program that it gives is silent."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tensan.core import plugins
from tensan.core.edits import Edit, applied, diff
from tensan.core.report import patch_of
from tensan.sinks.sarif import document
from tensan.testing.cases import programs
from tensan.testing.check import flags_for

ROOT = Path(__file__).parents[2]
#: Rules that know an edit for at least one of their cases.
PATCHING = {
    *("CKP101", "CKP201", "GRD201", "GRD202", "GRD204", "GRD205", "HDW101", "LOS101", "LOS104", "LOS109", "MOD101"),
    *("OPT104", "OPT105", "OPT106", "OPT107", "OPT111", "OPT113", "OPT201", "SHP101", "SHP201", "SHP202", "SHP203"),
}
BAD = [program for program in programs(ROOT / "cases", rules=plugins.all_rules()) if program.is_bad and program.rule.code in PATCHING]


@pytest.mark.parametrize("program", BAD, ids=lambda program: program.name)
def test_patch_is_right(program, stem, tmp_path):
    copy = tmp_path / program.path.name
    shutil.copy(program.path, copy)
    report = stem.run(copy, flags=flags_for(program.rule)).report
    patch = patch_of(report, folder=str(tmp_path))
    if not patch:
        assert program.path.name != "bad.py" or program.rule.code == "LOS101"
        pytest.skip("no edit is certain here")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "apply", "-"], input=patch, text=True, cwd=tmp_path, check=True)
    ast.parse(copy.read_text())
    after = stem.run(copy, flags=flags_for(program.rule))
    assert after.status == 0, after.stderr
    assert [told.code for told in after.report.findings if told.level != "hint"] == []
    assert "fixes" in json.dumps(document(report))


def test_command_writes_the_patch(tmp_path):
    program = ROOT / "cases" / "SHP101-broadcast-in-loss" / "bad.py"
    shutil.copy(program, tmp_path / "bad.py")
    subprocess.run([sys.executable, "-m", "tensan", "run", "bad.py"], cwd=tmp_path, check=True, capture_output=True)
    shown = subprocess.run([sys.executable, "-m", "tensan", "report", "--patch"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert shown.stdout.startswith("--- a/bad.py\n+++ b/bad.py\n")
    subprocess.run(["git", "apply", "-"], input=shown.stdout, text=True, cwd=tmp_path, check=True)
    assert ".squeeze(1)" in (tmp_path / "bad.py").read_text()


def test_edits_that_do_not_fit_are_left_out(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("one = 1\ntwo = 2\n")

    def edit(line, column, end, text):
        return Edit(path=str(path), line=line, column=column, end_line=line, end_column=end, replacement=text)

    assert applied(path.read_text(), [edit(1, 7, 8, "11"), edit(2, 7, 8, "22")]) == "one = 11\ntwo = 22\n"
    assert applied(path.read_text(), [edit(1, 7, 8, "11"), edit(1, 6, 8, "12")]) is None
    assert applied(path.read_text(), [edit(9, 1, 1, "")]) is None
    assert diff([edit(1, 7, 8, "11"), edit(1, 6, 8, "12")], folder=str(tmp_path)).count("+one") == 1
