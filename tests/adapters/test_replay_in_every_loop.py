# ruff: noqa: E501
"""Steps of all kinds of loops are played again: three faults, each proved by its own way of replay, or it is said why not.

The loss alone is played for a broadcast, the tape for samples that are mixed, the template for a value that is not finite.
"""

import pytest

from tensan.testing import compare

PROGRAM = """
import os
import torch, torch.nn as nn, torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.checkpoint import checkpoint
torch.manual_seed(0); torch.set_num_threads(1)
{before}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(6, 12), nn.Linear(12, 1)
        {made}
    def inner(self, x):
        return torch.tanh(self.body(x))
    def forward(self, x):
        h = {inner}
        {fault}
        return self.head(h){squeezed}
X = torch.randn(640, 6)
{data}
Y = X.sum(1)
loader = DataLoader(TensorDataset(X, Y), batch_size=16, shuffle={shuffle}{workers})
model = Net()
{wrapped}
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
{setup}
def loss_of(x, y):
    return F.mse_loss(model(x), y)
{loop}
print(loss.item(), sum(p.double().sum().item() for p in model.parameters()), torch.rand(()).item())
{end}
"""
PLAIN = {
    "before": "", "inner": "self.inner(x)", "fault": "pass", "squeezed": ".squeeze(1)", "data": "", "shuffle": "True",
    "wrapped": "", "workers": "", "setup": "", "end": "", "made": "",
    "loop": "for x, y in loader:\n    loss = loss_of(x, y)\n    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()",
}  # fmt: skip
#: Code, and what is wrong.
FAULTS = {
    "loss": ("SHP101", {"squeezed": ""}),
    "tape": ("SHP102", {"made": "self.gate = nn.Linear(6, 12)", "fault": "h = h * self.gate(x).softmax(0)"}),
    "template": ("NUM101", {"fault": "h = h * ((h[:, :1] * x[:, :1]) ** 2).sqrt()", "data": "X[200, 0] = 0.0", "shuffle": "False"}),
}
LOOPS = {
    "plain": {},
    "in a function, batches from a generator": {
        "loop": "def batches():\n    for epoch in range(1):\n        for batch in loader:\n            yield tuple(batch)\n"
        "def fit():\n    for x, y in batches():\n        loss = loss_of(x, y)\n        optimizer.zero_grad()\n        loss.backward()\n"
        "        optimizer.step()\n    return loss\nloss = fit()"
    },
    "closure": {
        "loop": "for x, y in loader:\n    def closure():\n        optimizer.zero_grad()\n        loss = loss_of(x, y)\n        loss.backward()\n"
        "        return loss\n    loss = optimizer.step(closure)"
    },
    "L-BFGS": {
        "setup": "optimizer = torch.optim.LBFGS(model.parameters(), lr=0.05, max_iter=3)",
        "loop": "for x, y in loader:\n    def closure():\n        optimizer.zero_grad()\n        loss = loss_of(x, y)\n        loss.backward()\n"
        "        return loss\n    loss = optimizer.step(closure)",
    },
    "accumulation": {
        "loop": "for number, (x, y) in enumerate(loader, 1):\n    loss = loss_of(x, y) / 2\n    loss.backward()\n    if number % 2 == 0:\n"
        "        optimizer.step()\n        optimizer.zero_grad()"
    },
    "gradient scaler": {
        "setup": "scaler = torch.amp.GradScaler('cpu', init_scale=4.0)",
        "loop": "for x, y in loader:\n    with torch.autocast('cpu', torch.bfloat16):\n        out = model(x)\n    loss = F.mse_loss(out.float(), y)\n"
        "    optimizer.zero_grad()\n    scaler.scale(loss).backward()\n    scaler.step(optimizer)\n    scaler.update()",
    },
    "two optimizers": {
        "setup": "optimizer = torch.optim.SGD([p for name, p in model.named_parameters() if 'head' not in name], lr=0.01)\n"
        "second = torch.optim.Adam(model.head.parameters())",
        "loop": "for x, y in loader:\n    loss = loss_of(x, y)\n    optimizer.zero_grad(); second.zero_grad()\n    loss.backward()\n"
        "    optimizer.step(); second.step()",
    },
    "checkpointing": {"inner": "checkpoint(self.inner, x, use_reentrant=False)"},
    "double backward": {
        "loop": "for x, y in loader:\n    x.requires_grad_()\n    loss = loss_of(x, y)\n"
        "    slope, = torch.autograd.grad(loss, x, create_graph=True)\n    loss = loss + 0.01 * slope.pow(2).sum()\n    optimizer.zero_grad()\n"
        "    loss.backward()\n    optimizer.step()"
    },
    "workers": {"workers": ", num_workers=1"},
    "distributed, one process": {
        "before": "import torch.distributed as dist\nos.environ.update(MASTER_ADDR='127.0.0.1', MASTER_PORT='0')\n"
        "dist.init_process_group('gloo', rank=0, world_size=1, store=dist.HashStore())",
        "wrapped": "model = nn.parallel.DistributedDataParallel(model)",
        "end": "dist.destroy_process_group()",
    },
    "compiled": {"wrapped": "model = torch.compile(model, backend='eager')"},
}
#: Ways of replay that a loop leaves no room for, and the words in which the summary says so.
SAID = {
    ("compiled", "loss"): "compiled model",
    ("compiled", "tape"): "compiled model",
    ("compiled", "template"): "compiled model",
}

#: A gradient scaler leaves a step with a broken gradient out itself, as it does after each overflow.
LEFT_OUT = {("gradient scaler", "template")}
#: Where the backward of the root is a part of this forward, it is a division there that breaks first.
DIVIDES = {("double backward", "template")}


def text_of(loop, fault):
    return PROGRAM.format(**{**PLAIN, **LOOPS[loop], **FAULTS[fault][1]})


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("loop", LOOPS)
def test_proved_or_said(loop, fault, stem, tmp_path):
    path = tmp_path / "train.py"
    path.write_text(text_of(loop, fault))
    bare, watched = stem.run(path, watched=False, remains=True), stem.run(path, remains=True, flags={"overhead": 100.0})
    assert bare.status == 0, bare.stderr
    assert not compare(bare, watched)
    run, found = watched.report.run, [told for told in watched.report.findings if told.code == FAULTS[fault][0]]
    assert not run.notes
    if (loop, fault) in SAID:
        assert any(SAID[loop, fault] in what for what in run.not_checked), run.not_checked
        assert not any(told.proof == "intervention" for told in found)
        return
    if (loop, fault) in LEFT_OUT:
        assert not found
        assert run.steps == 39
        return
    assert found, (watched.printed, run.not_checked)
    if (loop, fault) in DIVIDES:
        assert found[0].evidence["operation"] == "div"
        assert "torch.autograd.grad" in path.read_text().splitlines()[found[0].line - 1]
    elif fault == "template":
        assert (found[0].evidence["operation"], found[0].evidence["cured"]) == ("sqrt", True), watched.printed
    else:
        assert found[0].proof == "intervention", (watched.printed, run.not_checked)


#: What is kept beside the loss: none of it is a part of it.
METERS = {
    "a meter is written to": ("TOTAL = torch.zeros(())", "TOTAL.add_(loss.detach())"),
    "a history is written to": ("TOTAL = torch.zeros(50)", "TOTAL[len(SEEN)] = loss.detach(); SEEN.append(1)"),
}


@pytest.mark.parametrize("name", METERS)
def test_what_is_written_beside_the_loss_is_left_out(name, stem, tmp_path):
    before, written = METERS[name]
    loop = LOOPS["plain"].get("loop", PLAIN["loop"]).replace("    optimizer.zero_grad()", f"    {written}\n    optimizer.zero_grad()")
    path = tmp_path / "train.py"
    text = PROGRAM.format(**{**PLAIN, **FAULTS["loss"][1], "before": f"SEEN = []\n{before}", "loop": loop, "end": "print(TOTAL)"})
    path.write_text(text)
    bare, watched = stem.run(path, watched=False, remains=True), stem.run(path, remains=True)
    assert not compare(bare, watched)
    (found,) = [told for told in watched.report.findings if told.code == "SHP101"]
    assert found.proof == "intervention", watched.printed
