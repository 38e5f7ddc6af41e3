"""A program in the midst of training is stopped, asked, forked or killed: it ends as it would by itself, and its report is there."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tensan.core import runfile
from tensan.testing import compare

PROGRAM = Path(__file__).parent / "programs" / "stopped.py"
#: Where the program's own code is called by torch, so that what it raises goes up through frames of ours; and how often before it happens.
PLACES = {"item": 70, "forward": 6, "hook": 6, "backward": 6, "after the step": 6, "closure": 6, "schedule": 4, "state": 3}
STATUSES = {"exit": 3, "raise": 1, "SIGINT": -signal.SIGINT}
#: All steps are looked at, so that it stops in the midst of what we do.
EAGER = {"overhead": 100.0}


def both(stem, *words, flags=EAGER):
    """Runs the program bare and watched."""
    return (stem.run(PROGRAM, arguments=words, watched=watched, flags=flags if watched else {}) for watched in (False, True))


@pytest.mark.parametrize("how", STATUSES)
@pytest.mark.parametrize("place", PLACES)
def test_it_is_stopped(place, how, stem):
    bare, watched = both(stem, place, how, str(PLACES[place]))
    assert bare.status == STATUSES[how], bare.stderr
    assert "finally" in bare.stdout
    assert "last.pt" in bare.files
    assert not compare(bare, watched), watched.stderr
    assert watched.report.run.status == {"exit": "completed", "raise": "raised", "SIGINT": "interrupted"}[how]
    assert "SHP101" in {told.code for told in watched.report.findings}


def test_it_is_terminated(stem):
    bare, watched = both(stem, "backward", "SIGTERM", "6")
    assert bare.status == -signal.SIGTERM
    assert "finally" not in bare.stdout
    assert not compare(bare, watched)


@pytest.mark.parametrize("place", PLACES)
def test_it_forks(place, stem):
    bare, watched = both(stem, place, "fork", str(PLACES[place]))
    assert bare.status == 0, bare.stderr
    assert "child 5\n" in bare.stdout
    assert not compare(bare, watched)
    assert not watched.report.run.notes
    assert watched.report.run.steps == 40


def test_it_is_asked_how_it_stands(stem):
    """`kill -USR1` in the midst of everything, hundreds of times: each is answered, and nothing that is computed changes."""
    bare = stem.run(PROGRAM, arguments=["nowhere", "exit", "0"], watched=False, remains=True)
    asked = stem.run(PROGRAM, arguments=["everywhere", "SIGUSR1", "300"], remains=True, flags=EAGER)
    assert (asked.status, asked.stdout) == (0, bare.stdout), asked.stderr
    own = {"global PLACE", "global HOW", "global TIMES", "global passed"}
    assert set(compare(bare, asked)) == own | {"stderr"}
    assert not asked.report.run.notes
    answers = [line for line in asked.stderr.splitlines() if line.startswith("SUMMARY: tensan: ")]
    assert len(answers) == 300, len(answers)
    assert all("still running; " in answer for answer in answers)
    assert "error[SHP101]" in asked.stderr
    assert answers[-1].startswith("SUMMARY: tensan: 1 finding")


def test_it_is_killed(stem, tmp_path):
    """`kill -9` leaves a run file with what had been found."""
    killed = stem.run(PROGRAM, arguments=["backward", "SIGKILL", "6"], flags=EAGER | {"output": str(tmp_path)})
    assert killed.status == -signal.SIGKILL
    report = runfile.read(runfile.latest(tmp_path))
    assert report.run.status == "cut short"
    assert "SHP101" in {told.code for told in report.findings}


ALONE = """
import sys, torch
from torch import nn

def train(seed):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(6):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
    return sum(p.sum().item() for p in model.parameters())
"""
POOL = """
if __name__ == "__main__":
    print(train(1), flush=True)
    with torch.multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(pool.map(train, [1, 2]))
        pool.close()
        pool.join()
    print(train(3))
"""
RAISING = "print(train(int(sys.argv[-1])))\ntrain(None)\n"
#: How a program that trains is started, what it is given to read, and how it ends.
DOORS = {
    "script": (["script.py", "fork"], POOL, "", 0),
    "spawning": (["script.py", "spawn"], POOL, "", 0),
    "module": (["-m", "script", "5"], RAISING, "", 1),
    "code": (["-c", ALONE + RAISING, "5"], "", "", 1),
    "standard input": (["-", "5"], "", ALONE + RAISING, 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_it_is_started(door, tmp_path):
    words, rest, given, status = DOORS[door]
    (tmp_path / "script.py").write_text(ALONE + rest)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TENSAN")}
    seen = []
    for before in ([], ["-m", "tensan", "run", "-q"]):
        command = [sys.executable, *before, *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, input=given, capture_output=True, text=True, timeout=300)
        seen.append((done.returncode, done.stdout, done.stderr))
    assert seen[0][0] == status, seen[0][2]
    assert seen[0][1]
    assert seen[1] == seen[0]
    report = runfile.read(runfile.latest(tmp_path / ".tensan" / "runs"))
    assert report.run.status == ("raised" if status else "completed")
    assert report.run.steps >= 6
