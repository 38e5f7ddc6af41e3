"""One line a finding, as editors read it."""

import io
import re

from tensan.core.findings import Told
from tensan.core.report import Report, Run
from tensan.sinks.concise import ConciseSink


def told(**fields):
    known = {"code": "SHP101", "name": "n", "category": "correctness", "level": "error", "proof": "law", "message": "m", "fingerprint": "a"}
    return Told(**(known | fields))


def test_lines():
    findings = [
        told(path="train.py", line=4, column=2, fingerprint="a"),
        told(level="warning", fingerprint="b", message="no place"),
        told(level="hint", fingerprint="c", caused_by="a"),
    ]
    stream = io.StringIO()
    ConciseSink().write(Report(run=Run(notes=["TEN901: x"], rules_total=1), findings=findings), stream)
    assert stream.getvalue() == (
        "train.py:4:2: error[SHP101] m\n"
        "tensan: warning[SHP101] no place\n"
        "tensan: TEN901: x\n"
        "SUMMARY: tensan: 2 findings; 0 of 1 rules armed; still running; 0 steps; overhead 0.0 %\n"
    )


#: Of a problem matcher, as editors and GitHub Actions take it: `file`, `line`, `column`, `severity`, `code`, `message`.
MATCHER = re.compile(r"^([^\s].*?):(\d+):(\d+): (error|warning|hint)\[([A-Z]+\d+)\] (.*)$")


def test_a_problem_matcher_reads_each_finding():
    findings = [
        told(path="C:/my files/train:1.py", line=4, column=2, fingerprint="a", message="a: b:3:4: c"),
        told(path="train.py", line=5, column=1, level="warning", fingerprint="b", message="line one\n::error::two \x1b[31m"),
    ]
    stream = io.StringIO()
    ConciseSink().write(Report(run=Run(rules_total=1), findings=findings), stream)
    found = [match.groups() for line in stream.getvalue().splitlines() if (match := MATCHER.match(line))]
    assert [each[:5] for each in found] == [
        ("C:/my files/train:1.py", "4", "2", "error", "SHP101"),
        ("train.py", "5", "1", "warning", "SHP101"),
    ]
    assert found[0][5] == "a: b:3:4: c"
    assert "\x1b" not in found[1][5]
    assert len(stream.getvalue().splitlines()) == 3, "a message is one line, whatever it holds"
