"""Train a shared trunk with one head per task, where each step uses one task and a planned task is still off."""

import argparse
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class MultiTaskNet(nn.Module):
    def __init__(self, in_features=16, width=64):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(in_features, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.heads = nn.ModuleDict({
            "sentiment": nn.Linear(width, 3),
            "rating": nn.Linear(width, 1),
            "language": nn.Linear(width, 4),
        })

    def forward(self, x, task):
        return self.heads[task](self.trunk(x))


def compute_loss(task, output, target):
    if task == "rating":
        return F.mse_loss(output.squeeze(-1), target)
    return F.cross_entropy(output, target)


def make_tasks(count):
    """Inputs and targets for each task; all of them are functions of the same kind of features."""
    generator = torch.Generator().manual_seed(42)
    class_weights = torch.randn(16, 3, generator=generator)
    rating_weights = torch.randn(16, generator=generator) / 4
    language_weights = torch.randn(16, 4, generator=generator)
    tasks = {}
    for name in ("sentiment", "rating", "language"):
        x = torch.randn(count, 16)
        if name == "sentiment":
            y = (x @ class_weights).argmax(1)
        elif name == "rating":
            y = torch.tanh(x @ rating_weights) + 0.05 * torch.randn(count)
        else:
            y = (x @ language_weights).argmax(1)
        tasks[name] = TensorDataset(x, y)
    return tasks


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--with-language", action="store_true", help="also train the language head")
    return parser.parse_args()


def endless(loader):
    while True:
        yield from loader


def main():
    args = parse_args()
    random.seed(0)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    active = ["sentiment", "rating"] + (["language"] if args.with_language else [])
    train_sets, test_sets = make_tasks(1024), make_tasks(256)
    batches = {name: endless(DataLoader(train_sets[name], batch_size=32, shuffle=True)) for name in active}

    model = MultiTaskNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
    history = {name: [] for name in active}
    for _ in range(args.steps):
        task = random.choice(active)
        x, y = next(batches[task])
        optimizer.zero_grad(set_to_none=True)
        loss = compute_loss(task, model(x, task), y)
        loss.backward()
        optimizer.step()
        history[task].append(loss.item())

    model.eval()
    for name in active:
        x, y = test_sets[name].tensors
        with torch.no_grad():
            test_loss = compute_loss(name, model(x, name), y).item()
        first, last = sum(history[name][:10]) / 10, sum(history[name][-10:]) / 10
        print(f"{name}: train loss {first:.4f} -> {last:.4f}, test loss {test_loss:.4f}")


if __name__ == "__main__":
    main()
