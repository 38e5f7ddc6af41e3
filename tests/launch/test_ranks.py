"""What several ranks of one machine leave behind together."""

import subprocess
import sys
from pathlib import Path

import pytest

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
