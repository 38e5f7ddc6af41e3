"""The diagram of a real step: what ran, in its modules, in shapes; taken from what is recorded anyway, and small."""

import json
import os
import subprocess
import sys
from functools import partial

import pytest
import torch
from torch import nn

from tensan.core import runfile
from tensan.core.diagram import DIAGRAM, guilt

PROGRAM = """
import json, torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
torch.set_num_threads(1)
class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.fc = nn.LayerNorm(width), nn.Linear(width, width)
    def forward(self, x):
        return x + torch.tanh(self.fc(self.norm(x)))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(2, 8, 3)
        self.blocks = nn.ModuleList(Block(8) for _ in range(6))
        self.side, self.head = nn.Linear(8, 8), nn.Linear(8, 1)
    def forward(self, x):
        x = self.stem(x).mean(2)
        for block in self.blocks:
            x = block(x)
        return self.head(x + self.side(x).detach())
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(6):
    x, y = torch.randn(16, 2, 9), torch.randn(16)
    optimizer.zero_grad()
    prediction = model(x)
    loss = ((prediction - y) ** 2).mean()
    loss.backward()
    optimizer.step()
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    (folder / "train.py").write_text(PROGRAM)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("TENSAN")}
    done = subprocess.run([sys.executable, "-m", "tensan", "run", "train.py"], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    path = runfile.latest(folder / ".tensan" / "runs")
    return runfile.read(path), path.read_text().splitlines()


def test_is_the_step_that_ran(run):
    report, _ = run
    (diagram,) = report.diagrams
    told = [(node.name, node.kind, node.shape, node.gradient, node.times) for node in diagram.nodes]
    assert told == [
        ("input", "", "f32[16, 2, 9]", False, 1),
        ("input 2", "", "f32[16]", False, 1),
        ("Net", "Net", "f32[16, 1]", True, 1),
        ("stem", "Conv1d", "f32[16, 8, 7]", True, 1),
        ("mean", "", "f32[16, 8]", True, 1),
        ("blocks.0 … 5", "Block", "f32[16, 8]", True, 6),
        ("norm", "LayerNorm", "f32[16, 8]", True, 1),
        ("fc", "Linear", "f32[16, 8]", True, 1),
        ("tanh", "", "f32[16, 8]", True, 1),
        ("add", "", "f32[16, 8]", True, 1),
        ("side", "Linear", "f32[16, 8]", False, 1),
        ("add", "", "f32[16, 8]", True, 1),
        ("head", "Linear", "f32[16, 1]", True, 1),
        ("sub", "", "f32[16, 16]", True, 1),
        ("pow", "", "f32[16, 16]", True, 1),
        ("mean", "", "f32[]", True, 1),
    ]
    side = next(node for node in diagram.nodes if node.name == "side")
    assert (side.weights, side.learns) == (72, False)
    assert diagram.nodes[2].weights == sum(p.numel() for p in nn.Conv1d(2, 8, 3).parameters()) + 6 * (16 + 72) + 72 + 9


def test_of_a_step_that_an_error_has_ended(tmp_path):
    text = PROGRAM.replace("nn.Linear(width, width)", "nn.Linear(width + 1, width)")
    assert text != PROGRAM
    (tmp_path / "train.py").write_text(text)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("TENSAN")}
    done = subprocess.run(
        [sys.executable, "-m", "tensan", "run", "train.py"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    (diagram,) = runfile.read(runfile.latest(tmp_path / ".tensan" / "runs")).diagrams
    line = next(number for number, words in enumerate(text.splitlines(), 1) if "torch.tanh" in words)
    assert diagram.title == f"up to the error at train.py:{line}"
    assert diagram.nodes[-1].name == "fc"  # which has laid out its weight before the product failed
    assert not any(node.gradient for node in diagram.nodes)


def test_marks_the_guilty_edge(run):
    report, _ = run
    (diagram,) = report.diagrams
    shown = [told for told in report.findings if told.code == "SHP101"]
    found = guilt(diagram, shown)
    assert [diagram.nodes[number].name for number in found.nodes] == ["sub"]
    (edge,) = [diagram.edges[number] for number in found.edges]
    assert (diagram.nodes[edge.source].name, edge.shape, edge.summed) == ("head", "f32[16, 1]", "f32[16, 16]")


def note(seen, name, gradient):
    seen[name] = tuple(gradient.shape)


def test_gradients_come_back_in_the_shapes_that_it_says(run):
    report, _ = run
    namespace = {}
    exec(PROGRAM.partition("optimizer =")[0], namespace)
    net, seen = namespace["model"], {}
    for name, module in net.named_modules():
        module.register_forward_hook(lambda _m, _i, output, name=name: output.register_hook(partial(note, seen, name)) and None)
    (net(torch.randn(16, 2, 9)) - torch.randn(16)).pow(2).mean().backward()
    of_modules = {node.name: (node.shape, node.gradient) for node in report.diagrams[0].nodes if node.kind}
    assert {"stem", "head", "blocks.5"} <= seen.keys()
    for name, shape in seen.items():
        known = of_modules.get({"": "Net", "blocks.5": "blocks.0 … 5"}.get(name, name.rpartition(".")[2]))
        assert known is None or known == (f"f32{list(shape)}", True), name
    assert "side" not in seen
    assert of_modules["side"] == ("f32[16, 8]", False)


def test_is_written_once_and_small(run):
    _, lines = run
    records = [line for line in lines if json.loads(line)["kind"] == DIAGRAM]
    assert len(records) == 1
    assert len(records[0]) < 6_000


def test_hears_and_records_nothing_of_its_own(stem, tmp_path):
    script = tmp_path / "train.py"
    script.write_text(PROGRAM)
    without = "from tensan.adapters.torch.diagrams import Diagrams; Diagrams.recorded = lambda *_: None"
    costs = [stem.run(script, prelude=prelude).report.run.cost for prelude in ("pass", without)]
    for key in ("hook_calls", "deep_steps", "device_syncs", "windows"):
        assert costs[0][key] == costs[1][key], key
