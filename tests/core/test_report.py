"""The report: its order, its counts, and the line that is always there."""

import msgspec
import pytest
from core.making import finding, location

from tensan.core.findings import Category, Level, Proof, tell
from tensan.core.report import Report, Run, ordered, summary_line

ERROR = {}
WARNING = {"category": Category.SUSPICIOUS}
HINT = {"proof": Proof.HINT}


def told(number, step=0, caused_by=None, **fields):
    made = tell(finding(location=location(number), step=step, message=str(number), **fields))
    made.caused_by = caused_by
    return made


def test_reading_order():
    findings = [
        told(1, caused_by="x"),
        told(2, **HINT),
        told(3, step=5, **WARNING),
        told(4, step=2, **WARNING),
        told(6, step=9),
        told(5, step=9),
        told(7, step=1),
    ]
    assert [item.message for item in ordered(findings)] == ["7", "5", "6", "4", "3", "2", "1"]


def test_counts_by_level():
    report = Report(findings=[told(1), told(2, **WARNING), told(3, **HINT), told(4, caused_by="x")])
    assert [len(report.at_least(level)) for level in (Level.HINT, Level.WARNING, Level.ERROR)] == [3, 2, 1]
    assert len(report.roots) == 3


def run(**fields):
    known = {"status": "completed", "steps": 1241, "rules_armed": ["A", "B"], "rules_total": 55, "overhead_pct": 0.84}
    return Run(**(known | fields))


@pytest.mark.parametrize(
    ("report", "line"),
    [
        (Report(run=run()), "0 findings; 2 of 55 rules armed; 1241 steps; overhead 0.8 %"),
        (Report(run=run(steps=1), findings=[told(1)]), "1 finding; 2 of 55 rules armed; 1 step; overhead 0.8 %"),
        (
            Report(run=run(), findings=[told(1), told(2, **WARNING), told(3, **HINT)]),
            "2 findings; 2 of 55 rules armed; 1241 steps; overhead 0.8 %",
        ),
        (
            Report(run=run(not_checked=["replay (compiled model)"], suppressed=2, status="raised")),
            "0 findings; 2 of 55 rules armed; not checked: replay (compiled model); 2 suppressed; script raised; 1241 steps; "
            "overhead 0.8 %",
        ),
        (Report(run=run(status="running")), "0 findings; 2 of 55 rules armed; still running; 1241 steps; overhead 0.8 %"),
    ],
)
def test_the_last_line(report, line):
    assert summary_line(report) == "SUMMARY: tensan: " + line


def test_the_last_line_may_count_what_is_shown():
    assert summary_line(Report(run=run(), findings=[told(1)]), shown=3).startswith("SUMMARY: tensan: 3 findings;")


def test_the_document_has_the_fields_that_were_promised():
    document = msgspec.json.decode(msgspec.json.encode(Report(run=run(), findings=[told(1)])))
    assert document["schema"] == 1
    assert {"script", "status", "exit_status", "steps", "overhead_pct", "versions", "rules_armed", "not_checked"} <= set(document["run"])
    promised = "code name category level proof message path line column end_line end_column function step rank count evidence related help"
    assert {*promised.split(), "fingerprint", "caused_by"} <= set(document["findings"][0])


def test_reports_compare_and_survive():
    report = Report(run=run(), findings=[told(1), told(2)])
    assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report
