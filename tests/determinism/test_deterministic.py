"""Determinism: two runs are equal, what was met is met again by its token, what came too early is told, and other runs are left alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tensan.core.errors import UsageError
from tensan.core.replay_token import Met, Token, parse, recurrence
from tensan.determinism.replaying import token_of

PROGRAMS = Path(__file__).parent / "programs"


def run(folder, *words, flags=(), watched=True):
    """Runs a program in a process of its own; returns what it printed, what went wrong, and its report."""
    report = folder / "report.json"
    environment = {key: value for key, value in os.environ.items() if key not in ("CUBLAS_WORKSPACE_CONFIG", "PYTHONHASHSEED")}
    command = [sys.executable, *(("-m", "tensan", "run", "--quiet", "--json", str(report), *flags) if watched else ()), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder, env=environment)
    return done, json.loads(report.read_text()) if report.exists() else None


def test_a_failure_at_a_step_that_is_drawn_comes_again_by_its_token(tmp_path):
    script = PROGRAMS / "breaks.py"
    first, report = run(tmp_path, script)
    token = report["run"]["replay"]
    assert any(token in note for note in report["run"]["notes"])
    assert not [note for note in report["run"]["notes"] if note.startswith("TEN")]
    failure = next(told for told in report["findings"] if told["code"] == "NUM101")
    assert f"NUM101@{failure['step']}@" in token

    again, second = run(tmp_path, script, flags=("--replay", token))
    assert again.stdout == first.stdout != ""
    assert any(note.startswith(f"replay: NUM101 of step {failure['step']} came again at that step") for note in second["run"]["notes"])
    named = next(told for told in second["findings"] if told["code"] == "NUM101")
    assert named["step"] == failure["step"] == int(first.stdout.split()[0])
    assert named["source"].strip() == "out = torch.log(out - out)"  # that step was recorded, whatever the first run had seen of it

    third, report = run(tmp_path, script, second["run"]["replay"])  # given in code, as the seed is
    assert third.stdout == first.stdout
    bare, _ = run(tmp_path, script, token, watched=False)
    assert bare.stdout == first.stdout


def test_runs_without_a_seed_differ_and_hold_theirs(tmp_path):
    tokens = [run(tmp_path, PROGRAMS / "breaks.py")[1]["run"]["replay"] for _ in range(2)]
    assert parse(tokens[0]).seed != parse(tokens[1]).seed


def test_other_versions_are_refused_before_the_script_starts(tmp_path):
    token = Token(seed=7, step=3, versions={"python": "3.1.0", "torch": "1.0"}, hash="5")
    done, report = run(tmp_path, PROGRAMS / "breaks.py", flags=("--replay", str(token)))
    assert (done.returncode, done.stdout, report) == (2, "", None)
    assert "python was 3.1.0 and is 3." in done.stderr
    assert "torch was 1.0 and is 2." in done.stderr
    assert "PYTHONHASHSEED was 5 and is random: start python with PYTHONHASHSEED=5" in done.stderr
    assert "give the seed itself (7) instead" in done.stderr
    with pytest.raises(UsageError, match=r"seed: the token's run cannot be had again here: python was 3\.1\.0"):
        token_of(str(token), where="seed")


def test_a_script_that_never_asks_is_told_so_and_left_alone(tmp_path):
    bare, _ = run(tmp_path, PROGRAMS / "late.py", "untouched", watched=False)
    watched, report = run(tmp_path, PROGRAMS / "late.py", "untouched")
    assert bare.stdout == watched.stdout == "False False\nset()\n"
    assert report["run"]["replay"] == ""
    assert not [note for note in report["run"]["notes"] if "replay" in note or "deterministic" in note]
    _, report = run(tmp_path, PROGRAMS / "late.py", "untouched", flags=("--replay", str(Token(seed=7))))
    assert "replay: nothing was replayed, since the script has not called tensan.deterministic" in report["run"]["notes"]


LATE = {
    "python": "Python's generator was drawn from",
    "numpy": "NumPy's generator was drawn from",
    "generator": "torch's generator was drawn from",
    "model": "a model was built",
    "above": "a model was built",
}


@pytest.mark.parametrize("name", LATE)
def test_what_came_before_is_told_with_its_line(tmp_path, name):
    script = PROGRAMS / "late.py"
    line = next(number for number, text in enumerate(script.read_text().splitlines(), 1) if text.endswith(f"# here: {name}"))
    bare, _ = run(tmp_path, script, name, watched=False)
    watched, report = run(tmp_path, script, name)
    words = f"tensan.deterministic was called late: {LATE[name]} at {script}:{line}, before it"
    assert words in bare.stderr
    assert "CalledLate" in bare.stderr
    assert bare.stderr.count("CalledLate") == 1
    assert watched.stderr == ""
    assert [note.startswith(f"TEN003: {words}") for note in report["run"]["notes"] if note.startswith("TEN")] == [True]


@pytest.mark.parametrize("name", ["early", "drawn_by_a_library"])
def test_right_programs_are_told_nothing(tmp_path, name):
    bare, _ = run(tmp_path, PROGRAMS / "late.py", name, watched=False)
    assert (bare.returncode, bare.stderr) == (0, "")


def test_what_is_seeded_and_switched(tmp_path):
    code = (
        "import tensan; tensan.deterministic(3)\nimport os, random, numpy, torch\n"
        "a = random.random(), numpy.random.rand(), float(torch.rand(1))\n"
        "random.seed(3); numpy.random.seed(3); torch.manual_seed(3)\n"
        "print(a == (random.random(), numpy.random.rand(), float(torch.rand(1))))\n"
        "print(torch.are_deterministic_algorithms_enabled(), torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark)\n"
        "print(os.environ['CUBLAS_WORKSPACE_CONFIG'], os.environ['PYTHONHASHSEED'])\n"
        "tensan.deterministic(3, warn_only=True); print(torch.is_deterministic_algorithms_warn_only_enabled())\n"
    )
    done, _ = run(tmp_path, "-c", code, watched=False)
    assert done.stdout.splitlines() == ["True", "True True False", ":4096:8 0", "True"]


@pytest.mark.parametrize("seed", [-1, 2**32, 1.0, True, "seven", "seed:7,sum:00000000"])
def test_what_is_no_seed_is_refused(seed):
    import tensan

    with pytest.raises((ValueError, UsageError), match="expected a"):
        tensan.deterministic(seed)


def test_a_token_is_read_as_it_was_written():
    token = Token(
        seed=7, step=9, found=(Met("NUM101", 4, "01ab70"), Met("raised", 9)), switches="warn", threads=2, versions={"torch": "2.13.0+cpu"}
    )
    assert parse(str(token)) == token
    assert parse(f" '{token}'\n") == token
    for place in range(len(str(token))):
        changed = str(token)[:place] + "x" + str(token)[place + 1 :]
        with pytest.raises(ValueError, match="whole and unchanged"):
            parse(changed)


def test_what_came_again_is_told_apart():
    token = Token(seed=7, found=(Met("NUM101", 4, "aa"), Met("raised", 9)))
    assert list(recurrence(token, [Met("raised", 9), Met("NUM101", 4, "aa")])) == [
        "NUM101 of step 4 came again at that step and line",
        "raised of step 9 came again at that step",
    ]
    assert list(recurrence(token, [Met("NUM101", 5, "aa")])) == [
        "NUM101 of step 4 came at step 5 instead",
        "raised of step 9 did not come again",
    ]
    assert next(iter(recurrence(token, [Met("NUM101", 4, "bb")]))).endswith("which names another line")


def test_the_first_failures_are_kept():
    token = Token(seed=7).after(50, found=[Met("A", step) for step in (9, 3, 5, 7, 1)], raised=True)
    assert [each.step for each in token.found] == [1, 3, 5, 50]
    assert msgspec.structs.replace(token, step=0).found == token.found
