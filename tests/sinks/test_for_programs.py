"""The formats that other programs read: annotations of GitHub, SARIF, and the page for a coding agent."""

import io
import json
import os

import pytest

from tensan.core.findings import Told
from tensan.core.report import Report, Run
from tensan.sinks.agent import AgentSink
from tensan.sinks.github import GithubSink
from tensan.sinks.sarif import SarifSink

HOSTILE = "a,b:c%d\r\n::error::x \x1b[31m"


def told(**fields):
    known = {
        "code": "SHP101",
        "name": "broadcast-in-loss",
        "category": "correctness",
        "level": "error",
        "proof": "law",
        "message": "m",
        "fingerprint": "a",
    }
    return Told(**(known | fields))


@pytest.fixture
def report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    script = tmp_path / "train me.py"
    script.write_text("one = 1\ntwo = 2\nthree = 3\n")
    return Report(
        run=Run(
            script="train me.py", status="completed", exit_status=0, steps=7, not_checked=["replay"], notes=["TEN901: x"], rules_total=1
        ),
        findings=[
            told(
                path=str(script),
                line=2,
                column=1,
                end_line=2,
                end_column=4,
                function="main",
                source="two = 2",
                help="do this",
                evidence={"share": float("nan"), "shape": (2, 3)},
                related=[{"message": "made here", "path": str(script), "line": 1}],
                count=3,
            ),
            told(code="OPT101", level="hint", fingerprint="b", caused_by="a", message="follows"),
            told(code="GRD101", level="warning", fingerprint="c", message=HOSTILE),
        ],
    )


def written(sink, report):
    stream = io.StringIO()
    sink.write(report, stream)
    return stream.getvalue()


def test_github(report):
    lines = written(GithubSink(), report).splitlines()
    assert lines[0] == "::error title=SHP101 broadcast-in-loss,file=train me.py,line=2,col=1,endLine=2,endColumn=4::m%0Ahelp: do this"
    assert lines[1].startswith("::warning title=GRD101 broadcast-in-loss::a,b:c%25d")
    assert "\x1b" not in lines[1], "no control characters"
    assert [line.split(" ")[0] for line in lines[1:]] == ["::warning", "::notice", "SUMMARY:"], "a message cannot start a command"


def test_github_names_files_from_the_workspace(report, monkeypatch, tmp_path):
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path.parent))
    assert f"file={tmp_path.name}/train me.py" in written(GithubSink(), report)


def test_sarif(report):
    document = json.loads(written(SarifSink(), report))
    (run,) = document["runs"]
    assert document["version"] == "2.1.0"
    rules = run["tool"]["driver"]["rules"]
    first, second = run["results"]
    assert rules[first["ruleIndex"]]["id"] == first["ruleId"] == "SHP101"
    assert first["level"] == "error"
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "train%20me.py"
    assert {key: place["region"][key] for key in ("startLine", "startColumn", "endLine", "endColumn")} == {
        "startLine": 2,
        "startColumn": 1,
        "endLine": 2,
        "endColumn": 4,
    }
    assert first["partialFingerprints"] == {"tensan/v1": "a"}
    assert first["properties"]["consequences"] == ["OPT101 follows"]
    assert first["properties"]["evidence"] == {"share": "nan", "shape": [2, 3]}
    assert first["relatedLocations"][0]["message"] == {"text": "made here"}
    assert second["message"]["text"] == HOSTILE
    assert second["locations"] == []
    assert run["invocations"][0]["exitCode"] == 0


def test_sarif_names_files_outside_by_their_address(report, monkeypatch):
    os.mkdir("below")
    monkeypatch.chdir("below")
    uri = json.loads(written(SarifSink(), report))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.startswith("file:///")
    assert uri.endswith("train%20me.py")


def test_agent(report):
    text = written(AgentSink(), report)
    assert "## 1. error SHP101 broadcast-in-loss: m\nat train me.py:2:1 in `main`\n" in text
    assert "    1 one = 1\n>   2 two = 2\n    3 three = 3\n" in text
    assert "- fix: do this" in text
    assert "- explains: OPT101 follows" in text
    assert "Not checked: replay." in text
    assert "\x1b" not in text
    assert text.splitlines()[-1].startswith("SUMMARY: ")


def test_agent_shows_the_line_as_it_was(report, tmp_path):
    (tmp_path / "train me.py").write_text("changed = 0\n" * 3)
    assert ">   2 two = 2" in written(AgentSink(), report)


def test_agent_says_that_all_is_well():
    assert written(AgentSink(), Report(run=Run(script="x.py"))).startswith("No findings in `x.py`.\nSUMMARY: ")
