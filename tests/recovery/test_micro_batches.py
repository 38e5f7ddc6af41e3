"""Memory that is really at its end: the batch is differentiated in parts with its own gradient, or the reason is said."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"


def run(tmp_path, name, *arguments):
    return subprocess.run([sys.executable, str(PROGRAMS / name), *arguments], capture_output=True, text=True, timeout=300, cwd=tmp_path)


@pytest.mark.parametrize("kind", ["mean", "sum", "evaluating"])
def test_the_gradient_is_that_of_the_whole(tmp_path, kind):
    done = run(tmp_path, "narrow.py", kind, "60")
    memory, loss, gradient = done.stdout.splitlines()
    assert (memory, gradient) == ("True", "True"), done.stderr
    parts, near = loss.split()
    assert (int(parts) > 1, near) == (True, "True")


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("batch_norm", "`1` is BatchNorm1d in train mode, which normalises by the whole batch"),
        ("contrastive", "the loss of 4 samples is "),
        ("ignored", "the loss of 4 samples is "),
    ],
)
def test_what_joins_samples_is_not_split(tmp_path, kind, why):
    done = run(tmp_path, "narrow.py", kind, "60")
    assert done.stdout.splitlines()[0] == "True", done.stderr
    assert f"the batch of 2048 does not fit into memory, and its gradient is not that of its parts: {why}" in done.stdout


def test_ranks_split_together(tmp_path):
    done = run(tmp_path, "narrow_ranks.py")
    first, *others = done.stdout.strip().split(", ")
    assert first.endswith("True"), done.stderr
    assert int(first.split()[0]) > 1
    assert others == [first, first]
