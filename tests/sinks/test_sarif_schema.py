"""SARIF against the schema of the standard, whatever a program calls its files."""

import io
import json
from pathlib import Path

import jsonschema
import pytest
from reports_of_pages import hostile, long, told

from tensan.core.report import Report, Run
from tensan.sinks.sarif import SarifSink

SCHEMA = json.loads((Path(__file__).parents[1] / "vendor" / "sarif-schema-2.1.0.json").read_text())
VALIDATOR = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)


def written(report):
    stream = io.StringIO()
    SarifSink().write(report, stream)
    return json.loads(stream.getvalue())


def reports(folder):
    script = folder / "train me%20#1 é.py"
    script.write_text("one = 1\n\ttwo = 2\nthree = 3\n")
    place = {"path": str(script), "line": 2, "column": 2, "end_line": 2, "end_column": 5, "source": "\ttwo = 2"}
    related = [{"message": "made here", "path": str(script), "line": 1, "column": 1}, {"message": "nowhere", "path": None, "line": None}]
    yield "nothing", Report(run=Run(script="x.py"))
    yield "plain", Report(run=Run(script="x.py", exit_status=1, status="raised"), findings=[told(**place, related=related, function="main")])
    yield "unfinished", Report(run=Run(script="x.py", exit_status=-9), findings=[told(path="<ipython-input-1>", line=1, evidence={"a": float("inf")})])
    yield "several lines", Report(findings=[told(**(place | {"line": 1, "source": "one = 1", "end_line": 3, "end_column": 4, "column": 1}))])
    yield "hostile", hostile(folder / "<b>\"' & train.py")
    yield "long", long(1_000, 10)


@pytest.mark.parametrize("name", ["nothing", "plain", "unfinished", "several lines", "hostile", "long"])
def test_is_valid(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    document = written(dict(reports(tmp_path))[name])
    assert [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(document)] == []


def test_the_schema_is_not_toothless(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    document = written(dict(reports(tmp_path))["plain"])
    document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert list(VALIDATOR.iter_errors(document))


def test_places_fingerprints_and_what_lies_around(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (result,) = written(dict(reports(tmp_path))["plain"])["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "train%20me%2520%231%20%C3%A9.py"
    assert place["region"]["snippet"]["text"] == "\ttwo = 2"
    assert place["contextRegion"] == {"startLine": 1, "endLine": 3, "snippet": {"text": "one = 1\n\ttwo = 2\nthree = 3\n"}}
    assert result["partialFingerprints"]
    assert [related["message"]["text"] for related in result["relatedLocations"]] == ["made here"]


def test_a_changed_file_gives_no_context(tmp_path, monkeypatch):
    import linecache

    monkeypatch.chdir(tmp_path)
    report = dict(reports(tmp_path))["plain"]
    (tmp_path / "train me%20#1 é.py").write_text("other\n" * 5)
    linecache.checkcache()
    (result,) = written(report)["runs"][0]["results"]
    assert "contextRegion" not in result["locations"][0]["physicalLocation"]
