"""The terminal report, word for word."""

import io
import time

import pytest

from tensan.core.findings import Told
from tensan.core.report import Report, Run
from tensan.sinks.terminal import TerminalSink, seen


def told(**fields):
    known = {
        "code": "SHP101",
        "name": "broadcast-in-loss",
        "category": "correctness",
        "level": "error",
        "proof": "intervention",
        "message": "loss compares f32[64, 1] with f32[64], which broadcasts to f32[64, 64]",
        "path": "train.py",
        "line": 41,
        "column": 13,
        "end_line": 41,
        "end_column": 21,
        "function": "train_step",
        "source": "    loss = ((pred - y) ** 2).mean()",
        "label": "4096 differences where 64 were meant",
        "proof_note": "permuting the targets leaves the gradient unchanged (2e-8): predictions are not matched with their targets",
        "help": "give both sides one shape: `pred.squeeze(1)` or `y.unsqueeze(1)`",
        "fingerprint": "a",
    }
    return Told(**(known | fields))


def rendered(*findings, run=None, **attributes):
    sink = TerminalSink()
    for name, value in attributes.items():
        setattr(sink, name, value)
    stream = io.StringIO()
    sink.write(
        Report(
            run=run or Run(status="completed", steps=1241, rules_armed=["SHP101"], rules_total=2, overhead_pct=0.84),
            findings=list(findings),
        ),
        stream,
    )
    return stream.getvalue()


def test_a_finding_reads_as_in_the_design():
    made_by = {
        "message": "`pred` is f32[64, 1], made by Linear(in_features=8, out_features=1)",
        "path": "train.py",
        "line": 39,
        "column": 12,
    }
    assert rendered(told(count=1241, last_step=1240, related=[made_by])) == (
        """\
error[SHP101]: loss compares f32[64, 1] with f32[64], which broadcasts to f32[64, 64]
  --> train.py:41:13 in train_step
   |
41 |     loss = ((pred - y) ** 2).mean()
   |             ^^^^^^^^ 4096 differences where 64 were meant
note: `pred` is f32[64, 1], made by Linear(in_features=8, out_features=1)   --> train.py:39:12
   = seen: step 0, and each of the 1240 steps since
   = proof: permuting the targets leaves the gradient unchanged (2e-8): predictions are not matched with their targets
   = help: give both sides one shape: `pred.squeeze(1)` or `y.unsqueeze(1)`
   = silence: `# tensan: ignore[broadcast-in-loss]`    explain: `tensan explain SHP101`

SUMMARY: tensan: 1 finding; 1 of 2 rules armed; 1241 steps; overhead 0.8 %
"""
    )


def test_consequences_stand_in_one_line_under_their_cause():
    cause = told(
        code="OPT101",
        name="parameter-not-in-optimizer",
        level="error",
        fingerprint="cause",
        path=None,
        line=None,
        source="",
        label="",
        help="",
    )
    effect = told(code="OPT102", level="hint", message="`head.weight` never changes", line=9, fingerprint="effect", caused_by="cause")
    text = rendered(cause, effect)
    assert " = follows: OPT102 `head.weight` never changes (train.py:9)\n" in text
    assert text.count("OPT102") == 1
    assert text.endswith("SUMMARY: tensan: 1 finding; 1 of 2 rules armed; 1241 steps; overhead 0.8 %\n")


def test_all_well_is_one_line():
    assert rendered() == "SUMMARY: tensan: 0 findings; 1 of 2 rules armed; 1241 steps; overhead 0.8 %\n"


def test_notes_about_the_tool_stand_above_the_summary():
    text = rendered(run=Run(notes=["TEN901: rule X failed"], dropped=3))
    assert text.splitlines()[:2] == [
        "note: 3 more findings of rules that had spoken often enough: counted, not kept",
        "note: TEN901: rule X failed",
    ]


def test_hints_are_shown_when_asked():
    hint = told(level="hint", proof="hint", preview=True)
    assert "hint[SHP101]" not in rendered(hint)
    assert "hint[SHP101]: loss compares f32[64, 1] with f32[64], which broadcasts to f32[64, 64] (preview)" in rendered(hint, hints=True)


def test_verbose_shows_evidence_armed_rules_and_cost():
    text = rendered(told(evidence={"share": "nan", "n": 3}), run=Run(rules_armed=["A1", "B2"], cost={"calls": 12.0}), verbose=True)
    assert "   = evidence: share = nan, n = 3\n" in text
    assert "note: armed: A1, B2\n" in text
    assert "note: cost: calls 12\n" in text


def carets(**fields):
    lines = rendered(told(label="", **fields)).splitlines()
    return lines[3].partition("| ")[2], lines[4].partition("| ")[2]


def test_a_span_over_several_lines_is_underlined_on_its_first():
    source, marks = carets(source="    loss = f(", column=12, end_line=44, end_column=3)
    assert source[marks.index("^") :] == "f("
    assert marks.count("^") == 2


def test_tabs_and_wide_characters_keep_carets_in_place():
    _, marks = carets(source="\t\tx = y", column=7, end_column=8)
    assert marks == "\t\t    ^"
    _, marks = carets(source="名前 = y", column=6, end_column=7)
    assert marks == " " * 7 + "^"


def test_a_long_line_is_cut_around_its_carets():
    text = "x = " + "a + " * 200 + "GUILTY" + " + b" * 200
    start = text.index("GUILTY") + 1
    source, marks = carets(source=text, column=start, end_column=start + 6)
    assert source[marks.index("^") : marks.index("^") + 6] == "GUILTY"
    assert len(source) < 200


def test_nothing_can_move_the_cursor():
    text = rendered(told(message="evil\x1b[2Jname\nline", function="f\x07"), run=Run(notes=["a\x1bb"]))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "evil\\x1b[2Jname\\nline" in text


def test_a_column_may_be_unknown():
    text = rendered(told(column=None, end_column=None))
    assert "^" not in text
    assert "   |     4096 differences where 64 were meant\n" in text


def test_a_place_may_be_unknown():
    text = rendered(told(path=None, line=None, column=None, source="", label="somewhere"))
    assert text.splitlines()[1] == "note: somewhere"


@pytest.mark.parametrize(
    ("count", "step", "last", "steps", "words"),
    [
        (1, 0, 0, 1, "step 0"),
        (1, 12, 12, 100, "step 12"),
        (37, 0, 1240, 1241, "step 0, and 36 more times up to step 1240"),
        (2, 0, 7, 8, "step 0, and 1 more time up to step 7"),
        (1241, 0, 1240, 1241, "step 0, and each of the 1240 steps since"),
        (5, 2, 6, 100, "step 2, and each of the 4 steps up to step 6"),
        (2, 3, 4, 100, "steps 3 and 4"),
        (4, 3, 3, 100, "step 3, 4 times"),
    ],
)
def test_seen(count, step, last, steps, words):
    assert seen(told(count=count, step=step, last_step=last), steps=steps) == words


def test_seen_names_the_rank():
    assert seen(told(rank=3)) == "rank 3, step 0"


def test_a_thousand_findings_do_not_flood_the_screen():
    findings = [told(fingerprint=str(number), line=number) for number in range(1000)]
    began = time.perf_counter()
    text = rendered(*findings)
    assert time.perf_counter() - began < 1
    assert text.count("error[SHP101]") == 20
    assert "... and 980 more: `tensan report`\n" in text
    assert rendered(*findings, limit=None).count("error[SHP101]") == 1000


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_colours_only_where_they_are_wanted(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    report, stream = Report(findings=[told(message="[bold]not markup[/bold]")]), Terminal()
    TerminalSink().write(report, stream)
    assert "\x1b[1;31merror[SHP101]" in stream.getvalue()
    assert "[bold]not markup[/bold]" in stream.getvalue()
    assert "\x1b[2J" not in stream.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    TerminalSink().write(report, plain)
    assert "\x1b" not in plain.getvalue()
