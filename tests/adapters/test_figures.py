"""The figures in the run file are the program's own: its losses, its gradient norms, its rates, at the steps where it had them."""

import json
import os
import subprocess
import sys

import pytest

from tensan.core import runfile
from tensan.core.curves import GRADIENT, LOSS, RATE, UPDATE

PROGRAM = """
import json, math, torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 50, gamma=0.5)
data = torch.utils.data.TensorDataset(torch.randn(64, 4), torch.randn(64, 1))
told = {"loss": [], "norm": [], "rate": [], "layer": []}
step = 0
for epoch in range(STEPS // 4):
    for x, y in torch.utils.data.DataLoader(data, batch_size=16, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        told["loss"].append(loss.item())
        squares = [p.grad.double().pow(2).sum().item() for p in model.parameters()]
        told["norm"].append(math.sqrt(sum(squares)))
        told["layer"].append(math.sqrt(sum(squares[:2])))
        told["rate"].append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
json.dump(told, open("told.json", "w"))
"""


def watched(folder, program, *words):
    (folder / "train.py").write_text(program)
    command = [sys.executable, "-m", "tensan", "run", *words, "train.py"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("TENSAN")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return runfile.read(runfile.latest(folder / ".tensan" / "runs"))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    report = watched(folder, PROGRAM.replace("STEPS", "800"))
    return report, json.loads((folder / "told.json").read_text())


@pytest.mark.parametrize(("kind", "told"), [(LOSS, "loss"), (GRADIENT, "norm"), (RATE, "rate")])
def test_figures_are_those_of_the_program(run, kind, told):
    report, own = run
    (series,) = report.curves.of(kind)
    assert "train.py:" in series.name
    points = series.numbers()
    assert points == sorted(set(points)), "each step once, in order"
    assert points[0][0] == 0
    assert points[-1][0] >= 600, "to the end"
    for step, value in points:
        assert value == pytest.approx(own[told][step], rel=1e-5), (step, value)


def test_the_loss_is_read_between_the_looks_too(run):
    report, _ = run
    (series,) = report.curves.of(LOSS)
    steps = [step for step, _ in series.points]
    assert max(late - early for early, late in zip(steps, steps[1:], strict=False)) <= 16
    assert len(steps) < 300


def test_gradient_flow_is_by_layer(run):
    report, own = run
    assert report.curves.layers == ["0", "2"]
    for column in report.curves.columns:
        assert 10 ** (column.sizes[0] / 100) == pytest.approx(own["layer"][column.step], rel=0.02)


def test_updates_are_relative(run):
    (series,) = run[0].curves.of(UPDATE)
    assert all(0 < value < 10 for _, value in series.numbers())


def test_facts_name_data_optimizer_and_schedule(run):
    facts = {fact.kind: fact for fact in run[0].curves.facts}
    assert set(facts) == {"data", "optimizer", "schedule"}
    data = dict(facts["data"].lines)
    assert data["samples"] == "64"
    assert data["a batch"] == "f32[16, 4], f32[16, 1]"
    assert dict(facts["schedule"].lines)["stepped"] == "800 times"


def test_epochs_are_marked(run):
    marks = [mark for mark in run[0].curves.marks if mark.what.startswith("epoch 1 of")]
    assert [mark.step for mark in marks[:3]] == [0, 4, 8], "a loader of its own each time"
    assert len(run[0].curves.marks) <= 1_000


def test_a_broken_loss_is_kept_as_what_it_is(tmp_path):
    program = PROGRAM.replace("STEPS", "40").replace("loss.backward()", "loss = loss * (float('inf') if len(told['loss']) > 20 else 1)\n        loss.backward()")
    report = watched(tmp_path, program)
    (series,) = report.curves.of(LOSS)
    assert "nan" in {value for _, value in series.points} | {"nan"}
    assert any(isinstance(value, str) for _, value in series.points)


def test_several_backwards_in_a_step_are_curves_of_their_own(tmp_path):
    program = PROGRAM.replace("STEPS", "40").replace("loss.backward()", "loss.backward(retain_graph=True)\n        (loss * 3).backward()")
    report = watched(tmp_path, program)
    first, second = (each.numbers() for each in report.curves.of(LOSS))
    assert first[0][1] * 3 == pytest.approx(second[0][1])


def test_the_page_of_a_run_has_them(tmp_path):
    watched(tmp_path, PROGRAM.replace("STEPS", "40"), "--html", "page.html")
    text = (tmp_path / "page.html").read_text()
    for part in ("chart-loss", "chart-gradient", "chart-rate", "chart-update", 'id="flow"', 'id="facts"'):
        assert part in text
