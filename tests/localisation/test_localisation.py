"""Planted faults, as the bench makes them: the first bad operation and its line are named, in few replays, and the samples that show it."""

import random
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
#: Faults that must be named by operation and by line, as a part of those that are planted.
RIGHT = 0.95
#: Replays that one search may take: one costs 1.4 steps, so that these are twenty.
MOST_REPLAYS = 14


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield __import__("localisation")
    for name in ("localisation", "results"):
        sys.modules.pop(name, None)


def test_the_generator_is_seeded_and_wide(bench):
    def drawn(seed):
        chance = random.Random(seed)
        return [bench.program(number, chance) for number in range(bench.PROGRAMS)]

    several = drawn("a commit")
    assert several == drawn("a commit")
    assert several != drawn("another")
    assert len({text for text, _, _ in several}) >= 100
    for text, *_ in several:
        compile(text, "fault.py", "exec")
    assert {fault.kind for _, fault, _ in several} == {"forward", "backward", "data", "parameter", "buffer", "optimizer"}
    assert {about["depth"] for *_, about in several} == {1, 2, 3, 4}
    assert len({fault.operation for _, fault, _ in several}) >= 18


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["one", "two"])
def test_operation_and_line(bench, monkeypatch, seed):
    """Each kind of fault once, all looking paid for so that a busy machine changes nothing; beside it what `detect_anomaly` says."""
    monkeypatch.setattr(bench, "QUICK", len(bench.FAULTS))
    figures = bench.measure(SimpleNamespace(quick=True, seed=seed, flags={"overhead": 100.0}))
    wrong = [row for row in figures["rows"] if not (row["line"] and row["named"])]
    assert len(wrong) <= (1 - RIGHT) * figures["programs"], wrong
    assert 0 < figures["anomaly_line"] < figures["line"]
    assert figures["anomaly_stops"] > figures["anomaly_line"]
    assert figures["most_replays"] <= MOST_REPLAYS
    played = [bool(row["replays"]) for row in figures["rows"] if row["kind"] in ("forward", "backward")]
    assert sum(played) >= RIGHT * len(played)


PROGRAM = """
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)
    def forward(self, x):
        h = self.inner(x)
        return {expression}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part, self.head = Part(), nn.Linear(4, 1)
    def forward(self, x):
        return self.head(self.part(x))
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(12):
    x = torch.randn(8, 4)
    if step == 7:
        x[{rows}] = 0.0
    loss = net(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
#: What is computed, which rows are zero, and the samples that must be named as the fewest.
SAMPLES = {
    "one of eight": ("h + torch.log(x.abs())", "5", [5]),
    "three, of which one is enough": ("h + torch.log(x.abs())", "[1, 4, 6]", [1]),
    "through a product over the batch": ("h + torch.log(x.abs().prod(0))", "5", [5]),
    "of a pair the one that it breaks in": ("h + torch.log((x - x.roll(1, 0)).abs())", "[2, 3]", [3]),
    "all alike": ("h + torch.log(x.abs())", ":", []),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_fewest_samples_that_show_it(name, stem, tmp_path):
    expression, rows, samples = SAMPLES[name]
    path = tmp_path / "train.py"
    path.write_text(PROGRAM.format(expression=expression, rows=rows))
    outcome = stem.run(path)
    (found,) = [told for told in outcome.report.findings if told.code == "NUM101"]
    assert found.step == 7
    assert found.evidence["operation"] == "log", outcome.printed
    assert found.evidence["smallest"] == samples, outcome.printed
    assert found.evidence["cured"] is True
    assert found.evidence["operands"]
    assert "`log` is given" in found.label
    assert "with finite values put there, in place, all gradients are finite" in outcome.printed
