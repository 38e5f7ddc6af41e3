"""The run file: whatever happens to the process, what it had found can be read."""

import os
import resource
import signal
import subprocess
import sys

import msgspec
import pytest
from core.making import EveryStep, finding, location, step, watching

from tensan.core import runfile
from tensan.core.errors import RunFileError
from tensan.core.findings import tell
from tensan.core.report import Run
from tensan.core.runfile import RunFile, latest, read


def written(path, *, records=3, **run):
    file = RunFile(path)
    file.append("start", {"version": 1, "script": "train.py", "pid": 0, "started": ""})
    file.append("run", Run(status="running", pid=0))
    for number in range(records):
        file.append("finding", tell(finding(location=location(number + 1), message=f"number {number}")))
    if run:
        file.append("run", Run(**run))
    file.close()
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs" / "one.jsonl"


def test_there_and_back(path):
    report = read(written(path, status="completed", exit_status=0, steps=7))
    assert (report.run.status, report.run.steps, report.run.exit_status) == ("completed", 7, 0)
    assert [told.message for told in report.findings] == ["number 0", "number 1", "number 2"]


def test_the_last_word_stands(path):
    told = tell(finding())
    file = RunFile(written(path, records=0))
    for count in (1, 5):
        file.append("finding", msgspec.structs.replace(told, count=count))
    file.append("run", Run(status="raised", exit_status=1))
    report = read(path)
    assert [finding.count for finding in report.findings] == [5]
    assert report.run.status == "raised"


def test_the_report_of_a_watch_is_in_its_file(path):
    watch = watching(EveryStep, run_file=RunFile(path), script="train.py")
    for number in range(3):
        watch.emit(step(number))
    watch.steps = 3
    report = watch.finish(status="completed", exit_status=0)
    assert read(path) == report
    assert report.findings[0].count == 3
    assert report.run.script == "train.py"


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from core.making import EveryStep, step, watching
from tensan.core.runfile import RunFile
watch = watching(EveryStep, run_file=RunFile(Path(sys.argv[1])))
watch.emit(step(4))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_kill_9_leaves_a_readable_file(path):
    tests = os.path.dirname(os.path.dirname(__file__))
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), tests], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    report = read(path)
    assert report.run.status == "cut short"
    assert [(told.code, told.step) for told in report.findings] == [("TST101", 4)]


def test_a_run_that_still_goes_on(path):
    written(path, records=1, status="running", pid=os.getpid())
    assert read(path).run.status == "running"


def test_cut_short_at_every_byte(path):
    """A record that was being written is left out; all before it stand."""
    whole = written(path, status="completed").read_bytes()
    ends = [index + 1 for index, byte in enumerate(whole) if byte == ord("\n")]
    for end in range(ends[1], len(whole), 37):
        path.write_bytes(whole[:end])
        report = read(path)
        assert len(report.findings) == max(0, min(3, sum(end >= stop - 1 for stop in ends) - 2)), end


def test_damaged_in_the_middle(path):
    lines = written(path).read_bytes().split(b"\n")
    lines[2] = lines[2][:20]
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(RunFileError, match=r"one\.jsonl: line 3 is damaged"):
        read(path)


def test_a_record_of_the_wrong_form(path):
    with written(path).open("ab") as file:
        file.write(b'{"kind": "finding", "record": {"code": 3}}\n{"kind": "new kind", "record": {}}\n')
    with pytest.raises(RunFileError, match="line 6 is damaged"):
        read(path)


def test_records_of_a_later_release_are_passed_over(path):
    with written(path).open("ab") as file:
        file.write(b'{"kind": "new kind", "record": {}}\n')
    assert len(read(path).findings) == 3


def test_another_version(path):
    text = written(path).read_bytes()
    path.write_bytes(text.replace(b'"version":1', b'"version":2', 1))
    with pytest.raises(RunFileError, match="version 2 of the run file; this tensan reads version 1"):
        read(path)


@pytest.mark.parametrize(
    "text", [b"", b"\n\n", b"hello\n", b"[1]\n", b'{"kind": "run", "record": {}}\n', b'{"kind": "start", "record": 3}\n', b"\xff\xfe"]
)
def test_no_run_file_at_all(path, text):
    path.parent.mkdir()
    path.write_bytes(text)
    with pytest.raises(RunFileError, match=r"one\.jsonl"):
        read(path)


def test_missing(path):
    with pytest.raises(RunFileError, match="cannot be read: No such file"):
        read(path)
    with pytest.raises(RunFileError, match="cannot be read"):
        read(path.parent.parent)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_said_once_and_the_run_goes_on(path, monkeypatch):
    watch = watching(EveryStep, run_file=RunFile(path))
    full = os.open("/dev/full", os.O_WRONLY)
    monkeypatch.setattr(watch.run_file, "_handle", full)
    for number in range(3):
        watch.emit(step(number))
    report = watch.finish(status="completed", exit_status=0)
    os.close(full)
    assert report.findings[0].count == 3
    (note,) = report.run.notes
    assert note.startswith("TEN902")
    assert "No space left" in note


def test_a_file_that_may_not_grow(path):
    """The kernel cuts a write short at the limit: the records before it stand."""
    script = f"""
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
sys.path.insert(0, {os.path.dirname(os.path.dirname(__file__))!r})
from pathlib import Path
from core.test_runfile import written
from tensan.core.runfile import RunFile
file = RunFile(Path(sys.argv[1]))
written(Path(sys.argv[1]), records=20)
"""
    subprocess.run([sys.executable, "-c", script, str(path)], check=True, timeout=60)
    assert path.stat().st_size <= 1500
    assert 1 <= len(read(path).findings) < 20
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 1500


def test_no_more_after_the_end(path):
    file = RunFile(path)
    file.close()
    file.append("start", {})
    file.close()
    assert path.read_bytes() == b""


def test_the_latest(tmp_path):
    with pytest.raises(RunFileError, match="holds no run"):
        latest(tmp_path / "none")
    for age, name in enumerate(["b.jsonl", "a.jsonl", "c-rank1.jsonl"]):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (age, age))
    assert latest(tmp_path).name == "a.jsonl"
    assert runfile.SUFFIX == ".jsonl"
