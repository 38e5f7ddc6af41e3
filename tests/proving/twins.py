"""Programs with a mistake and the same without it, trained alike; each prints its loss on data that it has not seen."""

from __future__ import annotations

from collections.abc import Callable

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
{end}
with torch.no_grad():
    print({held_out})
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


def _with_second_loss(text: str) -> str:
    second = "        extra = 0.1 * F.cross_entropy(model(x + 0.1), y)\n        extra.backward()\n"
    return text.replace("        loss.backward()\n", f"        loss.backward()\n{second}")


def _scaled(text: str) -> str:
    text = text.replace("model = Net()\n", "model = Net(); scaler = torch.amp.GradScaler('cpu')\n")
    return text.replace("loss.backward()", "scaler.scale(loss).backward()").replace(
        "optimizer.step()", "scaler.step(optimizer); scaler.update()"
    )


def _in_closure(text: str) -> str:
    begin = text.index("    for x, y in loader:\n") + len("    for x, y in loader:\n")
    end = text.index("    model.eval()")
    body = "".join(f"    {line}\n" for line in text[begin:end].replace("optimizer.step()", "return loss").splitlines())
    return f"{text[:begin]}        def closure():\n{body}        optimizer.step(closure)\n{text[end:]}"


#: Other ways to write the loop.
LOOPS: dict[str, Callable[[str], str]] = {"second loss": _with_second_loss, "scaled": _scaled, "closure": _in_closure}


def _beside_another(text: str) -> str:
    """A second model in the same loop, with an optimizer and a loss of its own."""
    text = text.replace(
        "model.train()", "other = nn.Linear(20, 5); second = torch.optim.SGD(other.parameters(), lr=0.05)\nmodel.train()", 1
    )
    apart = "loss.backward()\n        apart = F.cross_entropy(other(x), (x @ W).argmax(1)); second.zero_grad(); apart.backward()"
    return text.replace("loss.backward()", apart).replace("optimizer.step()", "optimizer.step(); second.step()", 1)


LOOPS["two models"] = _beside_another
