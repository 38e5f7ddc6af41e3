"""`--ask "replace column"`: each column of what a model is given is exchanged among the samples, and those that move no output are told."""

import pytest

from tensan.testing import compare

PROGRAM = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
torch.set_num_threads(1)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.drop, self.last = nn.Linear({width}, 16), nn.BatchNorm1d(16), nn.Dropout(0.1), nn.Linear(16, 1)
    def forward(self, x):
        return self.last(self.drop(torch.relu(self.norm(self.first({used})))))
X = torch.randn(320, 5)
{data}
net = Net()
optimizer = torch.optim.Adam(net.parameters())
for x, y in DataLoader(TensorDataset(X, X.sum(1, keepdim=True)), batch_size=16, shuffle=True):
    loss = nn.functional.mse_loss(net({given}), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item(), torch.rand(()).item())
"""
PLAIN = {"width": "5", "used": "x", "data": "", "given": "x"}
#: What of the program differs, columns that move nothing, and those that hold one value.
PROGRAMS = {
    "all are used": ({}, [], []),
    "the last is cut off": ({"width": "4", "used": "x[:, :-1]"}, [4], []),
    "two are masked": ({"used": "x * torch.tensor([1.0, 0.0, 1.0, 0.0, 1.0])"}, [1, 3], []),
    "one is taken for all": ({"used": "x[:, :1].expand(-1, 5)"}, [1, 2, 3, 4], []),
    "rounded to nothing": ({"used": "x.clamp(-50, 50).div(100).round()"}, [0, 1, 2, 3, 4], []),
    "one is constant": ({"data": "X[:, 2] = 1.0"}, [], [2]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_columns_that_move_nothing(name, stem, tmp_path):
    changes, still, alike = PROGRAMS[name]
    path = tmp_path / "train.py"
    path.write_text(PROGRAM.format(**{**PLAIN, **changes}))
    bare, watched = stem.run(path, watched=False, remains=True), stem.run(path, remains=True, flags={"ask": ("replace column",)})
    assert not compare(bare, watched)
    (reply,) = watched.report.run.answers
    assert not reply.why_not, reply.why_not
    (table,) = reply.details["tables"]
    assert (table["still"], table["alike"]) == (still, alike), reply.text
    assert table["shape"][1] == 5


def test_no_table_is_said(stem, tmp_path):
    path = tmp_path / "train.py"
    path.write_text(PROGRAM.format(**{**PLAIN, "used": "x.squeeze(2)", "given": "x.unsqueeze(2)"}))
    (reply,) = stem.run(path, flags={"ask": ("replace column",)}).report.run.answers
    assert "no table" in reply.why_not
