"""Programs with a mistake and the same without it, trained alike: which is better on data that neither has seen, and what is reported."""

from __future__ import annotations

import contextlib
import io
import math
import statistics
import sys
from pathlib import Path
from typing import Any

PROGRAM = """
import torch, torch.nn as nn, torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed({seed}); torch.set_num_threads(1)
X = torch.randn(2560, 20); X[::37] *= {outliers}
W = torch.randn(20, 5); Y = {labels}
loader = DataLoader(TensorDataset(X[:1024], Y[:1024]), batch_size=32, shuffle=True)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Sequential({body}), nn.Linear(64, {outputs})
    def forward(self, x):
        {forward}
model = Net()
{optimizer}
model.train()
for epoch in range({epochs}):
    {epoch}
    for x, y in loader:
        {clear}
        loss = {loss}
        loss.backward()
        {step}
    model.eval()
    with torch.no_grad():
        F.softmax(model(X[:8]), 1)
model.eval()
{end}
with torch.no_grad():
    HELD_OUT = {held_out}
"""
PLAIN = {
    "outliers": "1",
    "labels": "(X @ W).argmax(1)",
    "body": "nn.Linear(20, 64), nn.ReLU()",
    "outputs": "5",
    "forward": "return self.head(self.body(x))",
    "optimizer": "optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)",
    "epochs": "3",
    "epoch": "model.train()",
    "clear": "optimizer.zero_grad()",
    "loss": "F.cross_entropy(model(x), y)",
    "step": "optimizer.step()",
    "end": "",
    "held_out": "F.cross_entropy(model.head(model.body(X[1024:])), Y[1024:]).item()",
}
SGD = "optimizer = torch.optim.SGD(model.parameters(), lr={}, momentum=0.9)"
DEEP = "nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()"
CLIP = "nn.utils.clip_grad_norm_(model.parameters(), 1.0)"
REGRESSION = {
    "labels": "X @ W[:, 0] + 0.1 * torch.randn(len(X))",
    "outputs": "1",
    "held_out": "F.mse_loss(model.head(model.body(X[1024:])).squeeze(1), Y[1024:]).item()",
    "loss": "F.mse_loss(model(x).squeeze(1), y)",
}
#: Code of the finding, what both have in common, and what is wrong in the first of them.
TWINS: dict[str, tuple[str, dict[str, str], dict[str, str]]] = {
    "broadcast": ("SHP101", REGRESSION, {"loss": "F.mse_loss(model(x), y)"}),
    "squashed": ("LOS101", {}, {"forward": "return F.softmax(self.head(self.body(x)), dim=-1)"}),
    "wrong axis": (
        "LOS104",
        {"loss": "F.nll_loss(F.log_softmax(model(x), dim=1), y)"},
        {"loss": "F.nll_loss(F.log_softmax(model(x), dim=0), y)"},
    ),
    "head after optimizer": ("OPT101", {}, {"optimizer": PLAIN["optimizer"] + "\nmodel.head = nn.Linear(64, 5)"}),
    "never cleared": ("OPT104", {"optimizer": SGD.format(0.05)}, {"clear": "pass"}),
    "cleared too early": ("OPT105", {}, {"clear": "pass", "step": "optimizer.zero_grad(); optimizer.step()"}),
    "clipped too late": (
        "OPT106",
        {"optimizer": SGD.format(0.05), "outliers": "30", "body": DEEP, "step": f"{CLIP}; optimizer.step()"},
        {"step": f"optimizer.step(); {CLIP}"},
    ),
    "stepped twice": (
        "OPT108",
        {"optimizer": SGD.format(0.2), "body": DEEP, "step": f"{CLIP}; optimizer.step()"},
        {"step": f"{CLIP}; optimizer.step(); optimizer.step()"},
    ),
    "clipped to zero": ("OPT118", {}, {"step": "nn.utils.clip_grad_norm_(model.parameters(), 0.0); optimizer.step()"}),
    "no gradient": (
        "GRD102",
        {"body": DEEP},
        {"forward": "with torch.no_grad():\n            h = self.body(x)\n        return self.head(h)"},
    ),
    "eval mode": ("MOD101", {"body": "nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.3)"}, {"epoch": "pass"}),
}


def source(name: str, *, seed: int, mended: bool) -> str:
    """Returns a program."""
    _, common, mistake = TWINS[name]
    return PROGRAM.format(seed=seed, **{**PLAIN, **common, **({} if mended else mistake)})


def bare(name: str, *, seed: int, mended: bool) -> float:
    """Runs a program unwatched; returns its loss on data that it has not seen."""
    scope: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source(name, seed=seed, mended=mended), "<twin>", "exec"), scope)
    return scope["HELD_OUT"]


def gain(name: str, *, seeds: int) -> tuple[float, float]:
    """Returns by how much the logarithm of the loss falls with the fix, and how far that may be off, at 95 %."""
    pairs = [[math.log(min(bare(name, seed=seed, mended=mended), 1e9)) for mended in (False, True)] for seed in range(seeds)]
    differences = [before - after for before, after in pairs]
    return statistics.mean(differences), 2.776 * statistics.stdev(differences) / math.sqrt(seeds)


def reported(name: str, *, seed: int, folder: Path) -> tuple[dict[str, Any] | None, str]:
    """Runs the program with the mistake under `--prove`; returns what trying its fix has shown, or why it was not tried."""
    from tensan.launch.session import Session

    path = folder / f"{name.replace(' ', '_')}_{seed}.py"
    path.write_text(source(name, seed=seed, mended=False))
    session = Session.start(flags={"prove": True, "quiet": True, "output": str(folder / "runs")}, script=str(path))
    exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})
    report = session.close(quiet=True)
    found = [told for told in report.findings if told.code == TWINS[name][0]]
    told = found[0].evidence.get("fix") if found else None
    return told, "; ".join([*report.run.not_checked, *report.run.notes]) if found else "no finding: " + ", ".join(
        t.code for t in report.findings
    )


if __name__ == "__main__":
    import tempfile

    for name in sys.argv[1:] or TWINS:
        mean, spread = gain(name, seeds=5)
        print(f"{name}: true {mean:.3f} +- {spread:.3f}", flush=True)
        for seed in range(5):
            told, why = reported(name, seed=seed, folder=Path(tempfile.mkdtemp()))
            if told is None:
                print("   ", why)
            else:
                print(
                    f"    {-math.log(1 - told['less']):.3f} [{-math.log(1 - told['low']):.3f} {-math.log(1 - told['high']):.3f}]",
                    told["before"],
                    told["after"],
                    told["steps"],
                    flush=True,
                )
