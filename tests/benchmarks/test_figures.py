"""What `make bench` makes of its measurements: the corpus score, the comparison with the last figures, the page of the docs."""

import json
import sys
from pathlib import Path

import pytest

from tensan.core.findings import Told
from tensan.core.report import Report
from tensan.testing import Outcome

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def modules(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield lambda name: __import__(name)
    for name in ("corpus", "results", "show"):
        sys.modules.pop(name, None)


@pytest.fixture
def folder(tmp_path):
    case = tmp_path / "01_case"
    case.mkdir()
    for kind in ("buggy", "fixed"):
        (case / f"{kind}.py").write_text("pass\n")
    (case / "case.json").write_text(json.dumps({"line": 12, "lines": [12], "also_ok_lines": ["buggy.py:30"]}))
    deep = tmp_path / "02_folders"
    for kind in ("buggy", "fixed"):
        (deep / kind).mkdir(parents=True)
        (deep / kind / "main.py").write_text("pass\n")
    (deep / "case.json").write_text(json.dumps({"line": 4, "file": "model.py"}))
    (tmp_path / "clean").mkdir()
    (tmp_path / "clean" / "a.py").write_text("pass\n")
    return tmp_path


def told(line, *, path="/x/buggy.py", level="error", proof="law", related=()):
    places = [{"message": "", "path": path, "line": number} for number in related]
    return Told(
        code="SHP101", name="n", category="correctness", level=level, proof=proof, message="m", path=path, line=line, related=places
    )


@pytest.mark.parametrize(
    ("findings", "figures"),
    [
        ([], (0, 0, 0)),
        ([told(12, level="hint")], (0, 0, 0)),
        ([told(50)], (1, 0, 0)),
        ([told(13)], (1, 1, 1)),
        ([told(29)], (1, 1, 1)),
        ([told(14)], (1, 0, 0)),
        ([told(50), told(12)], (1, 1, 0)),
        ([told(50, related=[11])], (1, 1, 1)),
        ([told(50, related=[1, 2, 12])], (1, 0, 0)),
        ([told(12, path="/x/other.py")], (1, 0, 0)),
        ([told(3, path="/x/buggy/model.py")], (1, 0, 0)),
    ],
)
def test_corpus_score(modules, folder, findings, figures):
    outcomes = {"01_case/buggy.py": Outcome(status=0, stdout="", stderr="", report=Report(findings=findings))}

    def spread(work, items):
        class Fake:
            def run(self, script, limit):
                key = f"{script.parent.name}/{script.name}"
                return outcomes.get(key, Outcome(status=0, stdout="", stderr="", report=Report()))

        return [work(item, Fake()) for item in items]

    score = modules("corpus").score(folder, spread)
    assert (score["seen"], score["line"], score["first"]) == figures
    assert (score["buggy"], score["right"], score["alarms"], score["broke"]) == (2, 3, 0, 0)


def test_errors_without_proof_are_counted(modules, folder):
    findings = [told(1, proof="statistic"), told(2, level="warning", proof="statistic"), told(3), told(4, proof="intervention")]

    def spread(work, items):
        class Fake:
            def run(self, script, limit):
                return Outcome(status=0, stdout="", stderr="", report=Report(findings=findings if script.stem == "buggy" else []))

        return [work(item, Fake()) for item in items]

    corpus = modules("corpus")
    score = corpus.score(folder, spread)
    assert score["unproved"] == 1
    assert "errors without proof 1" in next(corpus.lines(score))


def test_alarms_and_broken_runs(modules, folder):
    def spread(work, items):
        class Fake:
            def run(self, script, limit):
                is_clean = script.parent.name == "clean"
                return Outcome(status=0 if is_clean else 1, stdout="", stderr="", report=Report(findings=[told(1)]) if is_clean else None)

        return [work(item, Fake()) for item in items]

    corpus = modules("corpus")
    score = corpus.score(folder, spread)
    assert (score["alarms"], score["broke"], score["seen"]) == (1, 4, 0)
    assert any("ALARM a clean SHP101:1" in " ".join(line.split()) for line in corpus.lines(score))


def test_what_has_changed_is_said(modules, tmp_path, monkeypatch):
    results = modules("results")
    monkeypatch.setattr(results, "FOLDER", tmp_path / "results")
    monkeypatch.setattr(results, "ROOT", tmp_path)
    first = {"date": "2026-01-01", "commit": "aaaaaaa", "truth": {"zoo": {"alarms": 2}, "cases": {"right": 5}}}
    assert list(results.compared(first, results.latest())) == ["nothing stored yet to compare with"]
    assert str(results.keep(first)) == "results/2026-01-01-aaaaaaa.json"
    second = {"date": "2026-01-02", "commit": "bbbbbbb", "truth": {"zoo": {"alarms": 0}, "cases": {"right": 4}}, "cost": {}}
    said = list(results.compared(second, results.latest()))
    assert said[0] == "compared with 2026-01-01 aaaaaaa:"
    assert [line.split() for line in said[1:]] == [
        ["worse", "truth.cases.right:", "5", "->", "4"],
        ["better", "truth.zoo.alarms:", "2", "->", "0"],
    ]
    results.keep(second)
    results.keep({"date": "2026-01-02", "commit": "bbbbbbb", "neutrality": {"changed": 0}})
    assert set(results.latest()) >= {"truth", "cost", "neutrality"}
    assert results.latest()["truth"]["zoo"]["alarms"] == 0


def test_the_page_is_rendered_without_any_figures(modules):
    assert "Nothing has been measured yet" in modules("show").page({})
