"""One line a finding, as editors read it."""

import io

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
