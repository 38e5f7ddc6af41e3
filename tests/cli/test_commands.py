"""`report`, `compare`, `explain`, `rules`, `doctor`, and the help."""

import json
import subprocess
from pathlib import Path

import pytest

from tensan._version import __version__
from tensan.cli import compare, doctor, explain, rules
from tensan.core.errors import RunFileError
from tensan.core.findings import Told
from tensan.core.report import Report, Run
from tensan.core.rule import Rule
from tensan.launch import saved

LATE = "import tinyframe\ntinyframe.step()\ntinyframe.clip()\n"


class First(Rule):
    """## What it does
    Finds it. And more of it.

    ## Why is this bad?
    Because.
    """

    code, name, law = "OPT991", "clip-too-late", 9


class Second(Rule):
    """## What it does
    Finds other things."""

    code, name, preview = "SHP991", "clip-of-nothing", True


def told(fingerprint, **fields):
    known = {
        "code": "OPT991",
        "name": "n",
        "category": "correctness",
        "level": "error",
        "proof": "law",
        "message": f"message {fingerprint}",
    }
    return Told(**(known | fields), fingerprint=fingerprint)


# ---- report ----


def test_report_reads_a_run_file_and_a_document(tensan, script):
    tensan("run", "-q", script(LATE))
    (run,) = Path(".tensan/runs").glob("*.jsonl")
    tensan("report", "--format", "json", "-o", "found.json")
    shown = {tensan("report", *words).stdout for words in ([], [str(run)], ["found.json"])}
    assert len(shown) == 1
    assert shown.pop().startswith("error[OPT991]")
    assert tensan("report", "--format", "concise").stdout.startswith("train.py:3:1: error[OPT991]")
    assert "note: armed: OPT991" in tensan("report", "-v").stdout
    failed = tensan("report", "-o", "nowhere/x")
    assert (failed.returncode, failed.stderr) == (2, "tensan: error: nowhere/x: cannot be written: No such file or directory\n")


START = '{"kind":"start","record":{"version":1}}\n'


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"kind":"start","record":{"version":99}}\n', "was written in version 99 of the run file; this tensan reads version 1"),
        ("hello\nworld\n", "is not a run file of tensan"),
        ("", "is empty"),
        ("[1, 2]", "is not a run file of tensan"),
        ('{"schema": 7}', "was written in schema 7; this tensan reads schema 1"),
        ('{"schema": 1, "findings": 3}', "is not a report of tensan"),
        (START + "garbage\n" + START, "line 2 is damaged"),
        (START + '{"kind":"finding","record":{"code":3}}\n' + START, "line 2 is damaged"),
    ],
)
def test_what_is_no_run_is_named(tmp_path, content, problem):
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    with pytest.raises(RunFileError, match=problem.replace("(", "\\(")) as raised:
        saved.read(path)
    assert str(path) in str(raised.value)


def test_a_run_that_was_cut_short_is_read_as_far_as_it_goes(tensan, script):
    tensan("run", "-q", script(LATE))
    (run,) = Path(".tensan/runs").glob("*.jsonl")
    lines = run.read_text().splitlines(keepends=True)
    number = next(number for number, line in enumerate(lines) if '"finding"' in line)
    run.write_text("".join(lines[: number + 1]) + lines[number + 1][:40])
    report = saved.read(run)
    assert ([told.code for told in report.findings], report.run.status) == (["OPT991"], "cut short")


def test_a_reader_that_has_seen_enough_is_no_error(tensan, command, script, tmp_path):
    tensan("run", "-q", script("import tinyframe\nfor n in range(50):\n    tinyframe.clip(line=n + 1)\n"))
    pipe = subprocess.PIPE
    with subprocess.Popen([*command, "report"], cwd=tmp_path, stdout=pipe, stderr=pipe, text=True) as process:
        process.stdout.readline()
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == ("", 0)


# ---- compare ----


def test_compare_tells_new_fixed_and_still_there():
    before = Report(findings=[told("a"), told("b", path="train.py", line=3), told("x", caused_by="a")])
    after = Report(run=Run(rules_armed=["OPT991"]), findings=[told("b", path="train.py", line=9), told("c")])
    assert list(compare.comparison(before, after)) == [
        "new: error[OPT991] message c",
        "fixed: error[OPT991] message a",
        "still there: error[OPT991] message b (train.py:9)",
        "1 new; 1 fixed; 1 still there",
    ]


def test_compare_does_not_take_an_unarmed_rule_for_a_fix():
    lines = list(compare.comparison(Report(findings=[told("a")]), Report()))
    assert lines[1] == "note: OPT991 was not armed in the second run: nothing could be said there"


def test_compare_does_not_take_what_was_silenced_for_a_fix():
    before, after = Report(findings=[told("a")]), Report(run=Run(rules_armed=["OPT991"], silenced=[told("a").fingerprint]))
    assert list(compare.comparison(before, after)) == [
        "silenced: error[OPT991] message a",
        "0 new; 0 fixed; 1 silenced; 0 still there",
    ]


def test_compare_from_the_command_line(tensan, script):
    tensan("run", "-q", "--json", "a.json", script(LATE))
    tensan("run", "-q", "--json", "b.json", script("import tinyframe\n"))
    assert tensan("compare", "a.json", "b.json").stdout.endswith("0 new; 1 fixed; 0 still there\n")
    assert tensan("compare", "a.json", "gone.json").returncode == 2


def test_compare_takes_the_last_two_runs_by_itself(tensan, script):
    tensan("run", "-q", script(LATE))
    alone = tensan("compare")
    assert alone.returncode == 2
    assert "holds only 1 run;" in alone.stderr
    tensan("run", "-q", "--json", "b.json", script("import tinyframe\n"))
    assert tensan("compare").stdout.endswith("0 new; 1 fixed; 0 still there\n")
    assert tensan("compare", "b.json").stdout.endswith("0 new; 0 fixed; 0 still there\n")


# ---- explain and rules ----


def test_explain_finds_by_code_name_family_and_part():
    both = [First, Second]
    assert explain.matches(both, "opt991") == [First]
    assert explain.matches(both, "clip-too-late") == [First]
    assert explain.matches(both, "SHP") == [Second]
    assert explain.matches(both, "clip") == both
    assert explain.matches(both, "loss") == []


def test_explain_prints_the_page(tensan):
    done = tensan("explain", "clip-too-late")
    assert done.stdout.startswith("# OPT991: clip-too-late\n\ncorrectness, since 0.1.0, guards law 9\n\n## What it does\nFinds clipping")
    assert "ignore[clip-too-late]" in done.stdout
    listed = tensan("explain", "OPT").stdout
    assert listed.splitlines()[0] == "OPT991  clip-too-late  Finds clipping that comes too late."
    assert "did you mean clip-too-late?" in tensan("explain", "clip-to-late").stderr


def test_rules_are_listed_by_family():
    assert list(rules.table([First, Second])) == [
        "OPT  optimizer",
        "  OPT991  clip-too-late    law 9   correctness  stable   Finds it.",
        "",
        "SHP  shape",
        "  SHP991  clip-of-nothing          correctness  preview  Finds other things.",
        "",
        "2 rules; `tensan explain CODE` says more",
    ]


def test_rules_as_json(tensan):
    listed = json.loads(tensan("rules", "--format", "json").stdout)
    assert {rule["code"]: rule["status"] for rule in listed} == {
        "LOS991": "stable",
        "LOS992": "stable",
        "OPT991": "stable",
        "OPT992": "preview",
    }


# ---- doctor and help ----


@pytest.mark.parametrize(
    ("found", "requirement", "fits"),
    [
        ("2.13.0+cpu", ">=2.6,<2.14", True),
        ("2.14.0", ">=2.6,<2.14", False),
        ("2.6", ">=2.6.0", True),
        ("2.5.9", ">=2.6", False),
        ("1", "", True),
        ("nightly", ">=1", None),
        ("1", "~=1.0", None),
    ],
)
def test_versions_in_range(found, requirement, fits):
    assert doctor.in_range(found, requirement) is fits


def test_doctor_says_where_settings_come_from(tensan, tmp_path):
    Path("pyproject.toml").write_text("[tool.tensan]\noverhead = 2.5\n")
    done = tensan("doctor", env={"TENSAN_FAIL_ON": "error"})
    assert f"  overhead = 2.5  ({tmp_path}/pyproject.toml)\n" in done.stdout
    assert "  fail-on = 'error'  (TENSAN_FAIL_ON)\n" in done.stdout
    assert "  tiny: tested with tinyframe >=1; not installed\n" in done.stdout
    assert f"  runs: {tmp_path}/.tensan/runs (will be made)\n" in done.stdout
    assert done.returncode == 0


def test_doctor_reports_bad_settings_instead_of_failing(tensan):
    done = tensan("doctor", env={"TENSAN_X": "1"})
    assert done.returncode == 1
    assert "PROBLEM: environment variable TENSAN_X" in done.stdout


def test_help_teaches(here):
    status, out, _ = here("run", "--help")
    assert status == 0
    for text in (
        "tensan run [options] (script.py | -m module | -c code) [args ...]",
        "--fail-on {error,warning,never}",
        "exit status:",
        "TENSAN=0",
        "examples:",
    ):
        assert text in out
    status, out, _ = here("--help")
    assert status == 0
    for name in ("run", "report", "compare", "explain", "rules", "doctor", "mcp"):
        assert f"\n              {name:9} " in out or f" {name:9} " in out
    assert here("--version")[1] == f"tensan {__version__}\n"


def test_compare_draws_the_curves_of_both(tmp_path, here):
    from tensan.core.curves import Figures, Series
    from tensan.core.report import Run
    from tensan.core.runfile import RunFile

    for name, values in (("before.jsonl", [3.0, 2.0, 1.0]), ("after.jsonl", [3.0, "nan", 0.5])):
        file = RunFile(tmp_path / name)
        file.append("start", {"version": 1})
        file.append("figures", Figures(series=[Series(kind="loss", name="train.py:3", points=list(enumerate(values)))]))
        file.append("run", Run(status="completed"))
    _, shown, _ = here("compare", "before.jsonl", "after.jsonl")
    line, counts = shown.splitlines()
    assert line.startswith("loss ")
    before, after = line.removeprefix("loss").split("->")
    assert before.split()[-1] == "1"
    assert after.split()[-1] == "0.5"
    assert "\N{MULTIPLICATION SIGN}" in after
    assert "\N{MULTIPLICATION SIGN}" not in before
    assert counts == "0 new; 0 fixed; 0 still there"


def test_open_writes_the_page_beside_the_run(tmp_path, here, monkeypatch):
    import webbrowser

    from tensan.core.report import Run
    from tensan.core.runfile import RunFile

    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or False)
    file = RunFile(tmp_path / "r.jsonl")
    file.append("start", {"version": 1})
    file.append("run", Run(status="completed", script="train.py"))
    status, _, error = here("report", "r.jsonl", "--open")
    assert status == 0
    assert opened == [(tmp_path / "r.html").as_uri()]
    assert "no browser was found" in error
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
