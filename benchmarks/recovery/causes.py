"""Measures the search for root causes: faults are made among harmless changes, and each is to be named, alone, in pairs, or not at all.

`python benchmarks/recovery/causes.py [--cases N] [--seed TEXT] [-o FILE]` prints figures; cases are seeded by the commit. What a case's
answer is, is settled beforehand by runs with other draws than those that the search makes: a fault that hurts by less than half, and
harmless changes that hurt by more than a tenth, are no case.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import random
import subprocess
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import nn

from tensan.recovery.root_cause import root_cause

#: Steps before the snapshot, and steps that are replayed.
BEFORE, REPLAYED = 120, 20
#: Draws that settle what a case's answer is; the search makes others.
SETTLING = (101, 102)
HURTS, HARMLESS = 1.5, 1.1

#: What each factor may become: harmless, and at fault. Drawn for each case.
CHANGES: dict[str, tuple[Callable[[random.Random], Any], Callable[[random.Random], Any]]] = {
    "data": (
        lambda chance: ("noise", chance.uniform(0.01, 0.05)),
        lambda chance: chance.choice([("scale", chance.uniform(5, 50)), ("noise", chance.uniform(2, 5)), ("rolled", chance.randint(1, 7))]),
    ),
    "labels": (lambda chance: chance.uniform(0, 0.02), lambda chance: chance.uniform(0.6, 1.0)),
    "learning rate": (lambda chance: chance.uniform(0.8, 1.25), lambda chance: 10 ** chance.uniform(1.3, 2.5)),
    "loss scale": (lambda chance: chance.uniform(0.9, 1.1), lambda chance: chance.choice([-1.0, 10 ** chance.uniform(1.5, 3)])),
    "batch": (
        lambda chance: ("size", chance.choice([48, 64])),
        lambda chance: chance.choice([("few", chance.randint(2, 4)), ("sorted", 0)]),
    ),
    "code path": (
        lambda chance: ("dropout", chance.uniform(0.0, 0.02)),
        lambda chance: chance.choice([("dropout", chance.uniform(0.8, 0.95)), ("negated", 0), ("squared", 0)]),
    ),
    "decay": (lambda chance: chance.uniform(0, 2e-3), lambda chance: 10 ** chance.uniform(0.5, 1.5)),
}


class Net(nn.Module):
    """Layers between which another path may be taken."""

    def __init__(self, first: nn.Module, width: int, outputs: int) -> None:
        super().__init__()
        self.first, self.last = first, nn.Linear(width, outputs)

    def forward(self, x: torch.Tensor, path: tuple[str, float] = ("", 0)) -> torch.Tensor:
        hidden = self.first(x)
        kind, size = path
        if kind == "dropout":
            hidden = nn.functional.dropout(hidden, size)
        hidden = -hidden if kind == "negated" else hidden.square() if kind == "squared" else hidden
        return self.last(hidden)


def _linear(width: int) -> nn.Module:
    return nn.Sequential(nn.Linear(8, width), nn.LayerNorm(width), nn.ReLU())


def _conv(width: int) -> nn.Module:
    return nn.Sequential(nn.Unflatten(1, (1, 8)), nn.Conv1d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(48, width), nn.Tanh())


class Last(nn.Module):
    """A recurrent net of which the last state counts."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.cell = nn.GRU(2, width, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.cell(x.view(-1, 4, 2))[0][:, -1]


def _mixed(x: torch.Tensor) -> torch.Tensor:
    return (x @ torch.linspace(-1, 1, 8) + x[:, :1].square().squeeze(1)).unsqueeze(1) + 0.3 * torch.randn(len(x), 1)


def _quadrant(x: torch.Tensor) -> torch.Tensor:
    return (x[:, 0] + 0.3 * torch.randn(len(x)) > 0).long() * 2 + (x[:, 1:4].sum(1) + 0.3 * torch.randn(len(x)) > 0).long()


_square: Callable[..., torch.Tensor] = nn.functional.mse_loss
_classes: Callable[..., torch.Tensor] = nn.functional.cross_entropy
#: First layers, outputs, targets, criterion, optimizer. The first two were there while the search was made; the others were not.
TASKS: dict[str, tuple[Callable[[], nn.Module], int, Callable[..., torch.Tensor], Callable[..., torch.Tensor], str]] = {
    "regression": (lambda: _linear(32), 1, _mixed, _square, "sgd"),
    "classes": (lambda: _linear(32), 4, _quadrant, _classes, "adamw"),
    "convolution": (lambda: _conv(32), 4, _quadrant, _classes, "sgd"),
    "recurrent": (lambda: Last(32), 1, _mixed, _square, "adamw"),
}
TUNED = ("regression", "classes")


def _optimizer(kind: str, model: nn.Module, settings: Mapping[str, Any]) -> torch.optim.Optimizer:
    times, decay = settings.get("learning rate", 1.0), settings.get("decay", 1e-3)
    if kind == "sgd":
        return torch.optim.SGD(model.parameters(), lr=0.03 * times, momentum=0.8, weight_decay=decay)
    return torch.optim.AdamW(model.parameters(), lr=5e-3 * times, weight_decay=10 * decay)


class Run:
    """A training run of a task, from which cases branch off.

    Args:
        task: its name.
        seed: of weights and data.
    """

    def __init__(self, task: str, seed: int) -> None:
        torch.manual_seed(seed)
        first, outputs, target, self.criterion, self.kind = TASKS[task]
        self.model = Net(first(), 32, outputs)
        self.x = torch.randn(2048, 8)
        self.y = target(self.x)
        self.held_out = torch.randn(512, 8)
        self.held_out_y = target(self.held_out)
        optimizer = _optimizer(self.kind, self.model, {})
        self._train(optimizer, {}, BEFORE)
        self.snapshot = {key: value.clone() for key, value in self.model.state_dict().items()}
        self.moments = optimizer.state_dict()["state"]
        self.usual = self._badness()
        self.clean: list[float] = []

    def _train(self, optimizer: torch.optim.Optimizer, settings: Mapping[str, Any], steps: int) -> None:
        self.model.train()
        for _ in range(steps):
            x, y = self._batch(settings)
            loss = settings.get("loss scale", 1.0) * self.criterion(self.model(x, settings.get("code path", ("", 0))), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    def _batch(self, settings: Mapping[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
        how, size = settings.get("batch", ("size", 32))
        rows = torch.randint(len(self.x), (int(size) if how == "size" else 32,))
        if how == "few":
            rows = rows[: int(size)].repeat(16)[:32]
        elif how == "sorted":
            rows = torch.argsort(self.y.flatten())[-64:][rows % 64]
        x, y = self.x[rows], self.y[rows]
        what, amount = settings.get("data", ("", 0))
        if what == "noise":
            x = x + amount * torch.randn_like(x)
        elif what == "scale":
            x = x * amount
        elif what == "rolled":
            x = x.roll(int(amount), 1)
        wrong = torch.rand(len(y)) < settings.get("labels", 0.0)
        other = y.roll(1, 0)
        return x, torch.where(wrong.view(-1, *[1] * (y.dim() - 1)), other, y)

    def _badness(self) -> float:
        self.model.eval()
        with torch.no_grad():
            return float(self.criterion(self.model(self.held_out), self.held_out_y))

    def replay(self, settings: Mapping[str, Any], draw: int) -> float:
        """Plays on from the snapshot, and returns the loss on held-out data."""
        self.model.load_state_dict(self.snapshot)
        optimizer = _optimizer(self.kind, self.model, settings)
        optimizer.load_state_dict({"state": copy.deepcopy(self.moments), "param_groups": optimizer.state_dict()["param_groups"]})
        torch.manual_seed(10_000 + draw)
        self._train(optimizer, settings, REPLAYED)
        return self._badness()

    def times(self, settings: Mapping[str, Any]) -> float:
        """Returns how many times as bad settings make the outcome, over draws that the search does not make."""
        self.clean = self.clean or [self._finite({}, draw) for draw in SETTLING]
        logs = [math.log(self._finite(settings, draw) / clean) for draw, clean in zip(SETTLING, self.clean, strict=True)]
        return math.exp(min(sum(logs) / len(logs), 100.0))

    def _finite(self, settings: Mapping[str, Any], draw: int) -> float:
        value = self.replay(settings, draw)
        return value if math.isfinite(value) else 1e30


@cache
def run(task: str, seed: int) -> Run:
    """Returns a run, made once."""
    return Run(task, seed)


def case(task: str, faults: int, chance: random.Random) -> tuple[Run, dict[str, Any], tuple[str, ...], dict[str, Any]] | None:
    """Draws what changes, of which some is at fault; None where the answer is not clear.

    Of the cases without a fault every other one has one in something that is not among what is said to have changed.
    """
    trained = run(task, chance.randrange(4))
    changed = chance.sample(sorted(CHANGES), 5)
    guilty = tuple(sorted(changed[:faults]))
    settings = {name: CHANGES[name][name in guilty](chance) for name in changed}
    harmless = {name: value for name, value in settings.items() if name not in guilty}
    hidden: dict[str, Any] = {}
    if not faults and chance.random() < 0.5:
        name = chance.choice(sorted(CHANGES.keys() - set(changed)))
        hidden = {name: CHANGES[name][1](chance)}
    clear = not hidden or trained.times(hidden) >= HURTS
    clear = clear and trained.times(harmless) <= HARMLESS
    clear = clear and all(trained.times({name: settings[name]}) >= HURTS for name in guilty)
    # Of two faults one may undo the other, as two signs that are turned do: then neither is to be named.
    clear = clear and (not guilty or trained.times(settings) >= HURTS)
    return (trained, dict(sorted(settings.items())), guilty, hidden) if clear else None


def measure(*, cases: int, seed: str) -> dict[str, Any]:
    """Returns figures by task and number of faults."""
    chance, figures = random.Random(seed), {}
    for task in TASKS:
        for faults in (0, 1, 2):
            right = tried = 0
            slowest, misses = 0.0, []
            while right + len(misses) < cases:
                tried += 1
                drawn = case(task, faults, chance)
                if drawn is None:
                    continue
                trained, settings, guilty, hidden = drawn

                def replay(
                    back: frozenset[str], draw: int, settings: Any = settings, hidden: Any = hidden, trained: Run = trained
                ) -> float:
                    return trained.replay(hidden | {name: value for name, value in settings.items() if name not in back}, draw)

                began = time.perf_counter()
                verdict = root_cause(replay, sorted(settings), usual=trained.usual)
                slowest = max(slowest, time.perf_counter() - began)
                if tuple(sorted(verdict.causes)) == guilty:
                    right += 1
                else:
                    told = {"guilty": guilty, "said": verdict.causes, "why": verdict.why, "noise": verdict.noise}
                    misses.append(told | {"hidden": str(hidden), "settings": {name: str(value) for name, value in settings.items()}})
            figures[f"{task}, {faults} faults"] = {
                "right": right, "of": cases, "drawn": tried, "slowest_s": round(slowest, 2), "misses": misses,
            }  # fmt: skip
            print(task, faults, right, "of", cases, f"({tried} drawn, {slowest:.1f} s)", flush=True)
            for miss in misses:
                print("   ", miss, flush=True)
    for faults in (0, 1, 2):
        for which, tasks in (("tuned", TUNED), ("unseen", [task for task in TASKS if task not in TUNED])):
            each = [figures[f"{task}, {faults} faults"] for task in tasks]
            figures[f"{which} tasks, {faults} faults"] = round(sum(one["right"] for one in each) / sum(one["of"] for one in each), 3)
    return figures


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=50, help="for each task and number of faults")
    parser.add_argument("--seed", help="instead of the commit")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    figures = {"commit": commit} | measure(cases=options.cases, seed=options.seed or commit)
    text = json.dumps(figures, indent=1)
    print(text)
    if options.output:
        options.output.write_text(text)


if __name__ == "__main__":
    main()
