"""What is compared of two runs: a generator that was drawn from once more is noticed, wherever the program keeps it."""

import pytest

from tensan.testing import compare

PROGRAM = """
import random
import numpy
import torch
from torch.utils.data import DataLoader, TensorDataset

numpy.random.seed(0)
torch.manual_seed(0)

class Rows:
    def __init__(self):
        self.own = numpy.random.default_rng(1)
        self.old = numpy.random.RandomState(2)
        self.plain = random.Random(3)
        self.me = self

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)
        self.noise = torch.Generator().manual_seed(4)
        self.choice = numpy.random.default_rng(5)

rows, net, alone = Rows(), Net(), torch.Generator().manual_seed(6)
kept = [{"in": (random.Random(7),)}]
loader = DataLoader(TensorDataset(torch.ones(4, 1)), shuffle=True, generator=torch.Generator().manual_seed(8))
optimizer = torch.optim.AdamW(net.parameters())
net.layer(torch.ones(2, 2)).sum().backward()
optimizer.step()
"""

DRAWS = {
    "random": "random.random()",
    "numpy": "numpy.random.rand()",
    "torch": "torch.rand(1)",
    "numpy's generator of a data set": "rows.own.random()",
    "numpy's old generator of a data set": "rows.old.rand()",
    "python's generator of a data set": "rows.plain.random()",
    "torch's generator of a module": "torch.rand(1, generator=net.noise)",
    "numpy's generator of a module": "net.choice.random()",
    "a generator by itself": "torch.rand(1, generator=alone)",
    "a generator in containers": "kept[0]['in'][0].random()",
    "a loader's": "torch.rand(1, generator=loader.generator)",
    "a weight": "net.layer.weight.data[0, 0] += 1e-6",
    "a state of the optimizer": "optimizer.state[net.layer.weight]['exp_avg'][0, 0] += 1e-6",
    "an attribute of the program's own class": "rows.more = 1",
    "a mode": "net.layer.eval()",
    "a gradient": "net.layer.bias.grad.add_(1)",
}


@pytest.fixture(scope="module")
def left(stem, tmp_path_factory):
    path = tmp_path_factory.mktemp("remains") / "program.py"

    def run(more):
        path.write_text(PROGRAM + more)
        outcome = stem.run(path, watched=False, remains=True)
        assert outcome.status == 0, outcome.stderr
        return outcome

    return run


def test_the_same_twice_leaves_the_same(left):
    assert compare(left(""), left("")) == []


@pytest.mark.parametrize("what", DRAWS)
def test_a_difference_is_noticed(what, left):
    assert compare(left(""), left(f"{DRAWS[what]}\n"))
