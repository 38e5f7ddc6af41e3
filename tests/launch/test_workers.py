"""What the worker processes of a loader find is there for those who follow the run while it goes on."""

import os
import subprocess
import sys

import pytest

from tensan.core import runfile

TRAIN = """
import time
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(7)
        self.photos = np.random.default_rng(1).integers(0, 255, (64, 16), dtype=np.uint8)

    def __len__(self):
        return 64

    def __getitem__(self, index):
        row = self.photos[index]
        jump = row - row[0]
        return torch.from_numpy((jump / 255).astype(np.float32) + self.rng.normal(0, 0.1, 16).astype(np.float32)), index % 3


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    loader = DataLoader(Photos(), batch_size=2, shuffle=True, num_workers=2)
    model = torch.nn.Linear(16, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for step, (photos, labels) in enumerate(loader):
            time.sleep(PAUSE)
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(photos), labels).backward()
            optimizer.step()
            if (epoch, step) == STOP:
                print("waiting", flush=True)
                input()


if __name__ == "__main__":
    main()
"""

PLACES = {"DAT120": "train.py:18:16:", "RNG101": "train.py:10:9:"}


def going(folder, program):
    """Starts a run that waits for a line of its standard input."""
    (folder / "train.py").write_text(program)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TENSAN")}
    command = [sys.executable, "-m", "tensan", "run", "-q", "train.py"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=folder, env=environment, **pipes)


def followed(folder):
    """Returns the lines of `tensan report --follow`, up to the first one that says where the run stands."""
    command = [sys.executable, "-m", "tensan", "report", "--follow"]
    following = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = []
    try:
        while not lines or not lines[-1].startswith("step "):
            lines.append(following.stdout.readline())
            assert lines[-1], following.stderr.read()
    finally:
        following.kill()
        following.communicate()
    return lines


@pytest.mark.parametrize(
    ("stop", "pause", "found"),
    [((0, 30), 0.1, {"DAT120"}), ((1, 0), 0.0, {"DAT120", "RNG101"})],
    ids=["within an epoch", "once an epoch is over"],
)
def test_findings_of_workers_are_followed(stop, pause, found, tmp_path):
    training = going(tmp_path, TRAIN.replace("STOP", repr(stop)).replace("PAUSE", repr(pause)))
    try:
        assert training.stdout.readline() == "waiting\n", training.stderr.read()
        report = runfile.read(runfile.latest(tmp_path / ".tensan" / "runs"))
        assert (report.run.status, {told.code for told in report.findings}) == ("running", found)
        *lines, standing = followed(tmp_path)
        assert {line.partition(" ")[0] for line in lines} == {PLACES[code] for code in found}
        assert f"{len(found)} finding" in standing
        training.communicate("\n", timeout=60)
    finally:
        training.kill()
        training.communicate()
    assert training.returncode == 0
    ended = runfile.read(runfile.latest(tmp_path / ".tensan" / "runs"))
    assert {told.code for told in ended.findings} == {"DAT120", "RNG101"}
    assert next(told.count for told in ended.findings if told.code == "RNG101") == 1, "not told once more at the end"
