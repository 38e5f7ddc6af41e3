"""What several ranks of one machine leave behind together."""

import subprocess
import sys
from pathlib import Path

import pytest

REPLICAS = Path(__file__).parent / "programs" / "replicas.py"
TRAIN = """
import os
import torch

torch.manual_seed(int(os.environ["RANK"]))
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(20):
    x = torch.randn(32, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.slow
@pytest.mark.torchrun
def test_the_page_of_rank_0_shows_the_curves_of_both(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "train.py").write_text(TRAIN)
    launch = ["torch.distributed.run", "--nproc_per_node=2", "--master_port=0", "--rdzv-backend=c10d", "--rdzv-endpoint=127.0.0.1:0"]
    watched = ["-m", "tensan", "run", "--html", "report.html", "train.py"]
    done = subprocess.run([sys.executable, "-m", *launch, *watched], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "report.html").read_text()
    assert "rank 1: " in page
    assert page.count("<html") == 1


LAUNCH = ("torch.distributed.run", "--nproc_per_node=2", "--master_port=0", "--rdzv-backend=c10d", "--rdzv-endpoint=127.0.0.1:0")


def launched(folder, *words):
    """Runs the program of replicas on two ranks and returns how it ended and what each rank wrote."""
    folder.mkdir()
    command = [sys.executable, "-m", *LAUNCH, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr, [(folder / f"rank{rank}.txt").read_text() for rank in (0, 1)]


@pytest.mark.slow
@pytest.mark.torchrun
@pytest.mark.parametrize("how", ["replicated", "sharded"])
def test_models_that_are_wrapped_learn_the_same(how, tmp_path):
    pytest.importorskip("torch")
    _, bare = launched(tmp_path / "bare", str(REPLICAS), how)
    told, watched = launched(tmp_path / "watched", "-m", "tensan", "run", "--overhead", "100", str(REPLICAS), how)
    assert watched == bare
    assert bare[0] != bare[1]
    (summary,) = [line for line in told.splitlines() if line.startswith("SUMMARY: ")]
    assert "tensan: 0 findings; " in summary
    what = "30 steps" if how == "replicated" else "not checked: PyTorch (its parameters are sharded)"
    assert what in summary
    assert "TEN90" not in told


@pytest.mark.slow
@pytest.mark.torchrun
def test_a_mistake_in_a_replicated_model_is_told_once(tmp_path):
    pytest.importorskip("torch")
    told, _ = launched(tmp_path / "watched", "-m", "tensan", "run", str(REPLICAS), "replicated", "mistake")
    assert told.count("error[SHP101]") == 1, told
    (line,) = [number for number, text in enumerate(REPLICAS.read_text().splitlines(), 1) if "loss = " in text]
    assert f"replicas.py:{line}:" in told
