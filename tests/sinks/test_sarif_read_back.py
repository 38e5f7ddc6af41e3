"""SARIF as Microsoft's `sarif` tools read it: which rule, how severe, at which line of which file, in which words."""

import csv
import json
import subprocess
import sys

import pytest
from reports_of_pages import hostile, told

from tensan.core.edits import Edit, Repair
from tensan.core.report import Report, Run
from tensan.sinks.sarif import SarifSink

loader = pytest.importorskip("sarif.loader", reason="sarif-tools is not installed (`pip install tensan[dev]` brings it)")

PROGRAM = """
import torch

torch.manual_seed(0)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(6):
    x, y = torch.randn(16, 8), torch.randn(16)
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
"""


@pytest.fixture
def read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def read(report):
        with open("report.sarif", "w", encoding="utf-8") as stream:
            SarifSink().write(report, stream)
        return loader.load_sarif_file("report.sarif")

    return read


def test_a_run_is_read_back(tmp_path):
    (tmp_path / "train.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "tensan", "run", "-q", "--sarif", "found.sarif", "train.py"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    subprocess.run([sys.executable, "-m", "sarif", "csv", "--output", "found.csv", "found.sarif"], cwd=tmp_path, check=True, timeout=120)
    with open(tmp_path / "found.csv", encoding="utf-8", newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert (row["Tool"], row["Severity"], row["Code"]) == ("tensan", "error", "SHP101")
    assert (row["Location"], row["Line"]) == ("train.py", "10")
    assert row["Description"].startswith("loss compares f32[16, 1] with f32[16], which broadcasts to f32[16, 16]")


def test_levels_places_and_words(read, tmp_path):
    script = tmp_path / "train me.py"
    script.write_text("one = 1\ntwo = 2\n")
    edit = Edit(path=str(script), line=2, column=1, end_line=2, end_column=4, replacement="three")
    first = told(path=str(script), line=2, column=1, source="two = 2", repairs=[Repair(text="say three", edits=(edit,))], help="say three")
    findings = [first, told(fingerprint="b", code="OPT101", level="warning", path=str(script), line=1), told(fingerprint="c", level="hint")]
    found = read(Report(run=Run(script="train me.py", status="completed"), findings=findings))
    assert found.get_distinct_tool_names() == ["tensan"]
    rows = [(row["Severity"], row["Code"], row["Location"], row["Line"]) for row in found.get_records()]
    assert rows == [("error", "SHP101", "train%20me.py", 2), ("warning", "OPT101", "train%20me.py", 1), ("note", "SHP101", "-", "1")]
    severities = found.get_report().get_issue_type_histogram_for_severity("error")
    assert sum(severities.values()) == 1
    (rule,) = found.get_rules_by_id("SHP101")
    assert rule["name"] == "BroadcastInLoss"
    assert found.get_results()[0]["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"] == "three"


def test_hostile_words_are_read_as_words(read, tmp_path):
    report = hostile(tmp_path / "<b>\"' & train.py")
    rows = read(report).get_records()
    assert len(rows) == len(report.roots)
    assert json.dumps(rows[0]["Description"]).find("script>window.pwned") > 0
