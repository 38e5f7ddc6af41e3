"""Following a run: lines where there is no terminal, a picture where there is one, and a clean end either way."""

import io
import os
import signal
import subprocess
import time

import pytest

from tensan.cli.follow import follow
from tensan.core.curves import Figures, Series
from tensan.core.errors import RunFileError
from tensan.core.findings import Told
from tensan.core.report import Run
from tensan.core.runfile import RunFile
from tensan.launch.ranks import RECORD, together


def begin(path, **fields):
    file = RunFile(path)
    file.append("start", {"version": 1, "script": "train.py", "pid": os.getpid(), "started": ""})
    file.append("run", Run(script="train.py", pid=os.getpid(), **fields))
    return file


def finding(number):
    return Told(
        code=f"SHP10{number}",
        name="n",
        category="correctness",
        level="error",
        proof="law",
        message=f"finding {number}",
        fingerprint=str(number),
        path="/x/train.py",
        line=number,
    )


def figures(step, value):
    return Figures(steps=step, overhead_pct=0.5, series=[Series(kind="loss", name="train.py:3", points=[(step, value)])])


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def script_of_a_run(tmp_path):
    """What happens to the run file between the looks."""
    path = tmp_path / "20260101-000000-1.jsonl"
    file = begin(path)
    happenings = [
        lambda: file.append("figures", figures(10, 2.0)),
        lambda: file.append("finding", finding(1)),
        lambda: file.append("figures", figures(500, "nan")),
        lambda: file.append("run", Run(script="train.py", status="completed", steps=1000, rules_total=3)),
    ]

    def wait(_seconds):
        happenings.pop(0)()

    return path, wait


def test_lines(script_of_a_run):
    path, wait = script_of_a_run
    stream = io.StringIO()
    follow(lambda: [path], stream, wait=wait)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "step 0; 0 findings; overhead 0.0 %"
    assert lines[1] == "/x/train.py:1: error[SHP101] finding 1"
    assert lines[2] == "step 10; loss 2; 1 finding; overhead 0.5 %"
    assert lines[3] == "SUMMARY: tensan: 1 finding; 0 of 3 rules armed; 1000 steps; overhead 0.0 %"
    assert len(lines) == 4
    assert "\x1b" not in stream.getvalue()


def test_screen(script_of_a_run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    path, wait = script_of_a_run
    stream = Terminal()
    follow(lambda: [path], stream, wait=wait)
    last = stream.getvalue().rpartition("F")[2]
    assert "tensan: train.py: completed, step 1,000" in last
    assert "loss" in last
    assert "\N{MULTIPLICATION SIGN}" in last, "a loss that is not finite is seen"
    assert "error[SHP101] finding 1" in last
    assert "SUMMARY: tensan: 1 finding" in last
    assert max(len(line.replace("\x1b[K", "")) for line in last.splitlines()) < 80


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()], ids=["lines", "screen"])
def test_the_reader_may_leave(script_of_a_run, stream):
    path, _ = script_of_a_run

    def leave(_seconds):
        raise KeyboardInterrupt

    follow(lambda: [path], stream, wait=leave)
    assert stream.getvalue().endswith("\n")


def test_several_processes_are_one_run(tmp_path):
    paths = [tmp_path / f"20260101-000000-{rank + 1}-rank{rank}.jsonl" for rank in range(3)]
    files = [begin(path, rank=rank) for rank, path in enumerate(paths)]
    for rank, file in enumerate(files):
        file.append(RECORD, {"agent": 7 if rank < 2 else 8, "rank": rank})
        file.append("finding", finding(1))
    files[1].append("finding", finding(2))
    assert together(paths[0]) == paths[:2]
    stream = io.StringIO()

    def end(_seconds):
        for file in files:
            file.append("run", Run(script="train.py", status="completed"))

    follow(lambda: together(paths[0]), stream, wait=end)
    lines = stream.getvalue().splitlines()
    assert [line.rpartition(" ")[2] for line in lines[:2]] == ["1", "2"], "each finding once"
    assert lines[2].endswith("2 processes")


def test_all_processes_have_curves_in_the_report(tmp_path, here):
    paths = [tmp_path / f"20260101-000000-{rank + 1}-rank{rank}.jsonl" for rank in range(2)]
    for rank, path in enumerate(paths):
        file = begin(path, rank=rank)
        file.append(RECORD, {"agent": 7, "rank": rank})
        for step in range(3):
            file.append("figures", figures(step, 2.0 + rank))
        file.append("finding", finding(rank))
        file.append("run", Run(script="train.py", status="completed", steps=3, rank=rank))
    status, page, _ = here("report", str(paths[0]), "--format", "html")
    assert status == 0
    assert "rank 1: train.py:3" in page
    assert page.count("SHP100") > 0
    assert page.count("SHP101") > 0
    status, text, _ = here("report", str(paths[1]), "--format", "concise")  # any of them leads to all
    assert "SHP100" in text
    assert "SHP101" in text


def test_what_is_no_run_is_said(tmp_path):
    (tmp_path / "x.jsonl").write_text("{}\n")
    with pytest.raises(RunFileError):
        follow(lambda: [tmp_path / "x.jsonl"], io.StringIO())


def test_interrupt_ends_the_command_and_not_the_run(tmp_path, command):
    path = tmp_path / "r.jsonl"
    begin(path)
    running = subprocess.Popen([*command, "report", "--follow", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline().startswith("step 0; ")
    time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=20)
    assert (running.returncode, err) == (0, ""), (out, err)


def test_takes_no_format(here, tmp_path):
    begin(tmp_path / "r.jsonl")
    status, _, err = here("report", "r.jsonl", "--follow", "--format", "json")
    assert status == 2
    assert "--follow" in err
