"""The page of a real run in a real browser: it has each part that was promised, in both themes and on a phone, and axe is content."""

import os
import subprocess
import sys

import pytest
from browser import PROGRAM, WHY_NOT, Browser

TRAIN = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(96, 8)
x[90:] = x[:6]
y = x.sum(1)
data = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
held = DataLoader(TensorDataset(torch.randn(32, 8), torch.randn(32, 1)), batch_size=16)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)


def train_step(inputs, targets):
    optimizer.zero_grad()
    predicted = model(inputs)
    loss = ((predicted - targets) ** 2).mean()
    loss.backward()
    optimizer.step()


for epoch in range(4):
    for inputs, targets in data:
        train_step(inputs, targets)
    schedule.step()
    model.eval()
    with torch.no_grad():
        for inputs, targets in held:
            nn.functional.mse_loss(model(inputs), targets)
            break
    model.train()
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    (folder / "train.py").write_text(TRAIN)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TENSAN")}
    command = [sys.executable, "-m", "tensan", "run", "-q", "--html", "page.html", "train.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder / "page.html"


@pytest.fixture(scope="module")
def browser(page, tmp_path_factory):
    if PROGRAM is None:
        pytest.skip(WHY_NOT)
    with Browser(tmp_path_factory.mktemp("profile")) as running:
        yield running


def text_of(browser, what):
    """Returns the words of a part, also of what is closed, with a space between elements."""
    return browser.ask(f"document.querySelector({what!r}).innerHTML.replace(/<[^>]+>/g, ' ').replace(/\\s+/g, ' ')")


HAS = {
    "#finding-1": (
        "SHP101",
        "train.py:21:14 in train_step",
        "predicted is f32[16, 1], made by Linear(in_features=16, out_features=1, bias=True) train.py:20:17",
        "Proof permuting the side without gradient leaves the gradient unchanged",
        "predicted.squeeze(1)",
        "# tensan: ignore[broadcast-in-loss]",
    ),
    "#timeline": ("Loss", "Gradient norm", "Learning rate", "epoch 2 of the loader made at train.py:11"),
    "#flow": ("Gradient flow as a table",),
    "#step": ("9 operations of Sequential", "Linear, 144 weights, train.py:20", "error[SHP101]"),
    "#facts": (
        "samples 96",
        "f32[16, 8], f32[16]",
        "read to the end 4 of 4 epochs",
        "read to the end 0 of 4 epochs",
        "equal samples 6 of 96 samples equal an earlier one",
        "equal samples none among 32 samples",
        "weight decay 0.1",
        "stepped 4 times",
    ),
    "#watched": ("armed: they met what they look for", "not armed"),
    "#cost": ("% of the CPU time of the process", "steps recorded operation by operation 2"),
}


def test_has_every_part(browser, page):
    browser.show(page)
    for part, wanted in HAS.items():
        text = text_of(browser, part)
        assert not [words for words in wanted if words not in text], (part, text[:3_000])
    assert browser.ask("[...document.querySelectorAll('#finding-1 mark')].map(each => each.textContent).join('')") == "predicted - targets"
    for kind in ("loss", "gradient", "rate", "update"):
        assert browser.ask(f"document.querySelectorAll('#chart-{kind} svg path').length") > 0, kind
    assert browser.ask("document.querySelector('#flow img, #flow image') !== null")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_is_fit_for_all(browser, page, tmp_path, width, dark):
    browser.show(page, width=width, dark=dark)
    browser.picture(tmp_path / f"{width}-{'dark' if dark else 'light'}.png")
    for opened in ("", "document.querySelectorAll('details').forEach(each => each.open = true);"):
        excess = browser.ask(f"{opened} document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert excess <= 0, "sticks out to the side"
    assert browser.violations() == [], "with all that can be opened"
    assert browser.requested() == []
    assert browser.complaints() == []
