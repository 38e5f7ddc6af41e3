"""Trains twice beneath a progress bar, of tqdm and of rich, in a terminal; nothing that they draw depends on the time."""

import sys

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from torch import nn
from tqdm import tqdm

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def step():
    x = torch.randn(16, 4)
    loss = ((model(x) - x.sum(1)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


for _ in (bar := tqdm(range(12), bar_format="{desc}: {bar}| {n_fmt}/{total_fmt}", mininterval=0, miniters=1)):
    bar.set_description(f"loss {step():.4f}")
    if bar.n == 5:
        tqdm.write("half of it")
with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=Console(stderr=True), auto_refresh=False) as progress:
    task = progress.add_task("rich", total=8)
    for _ in range(8):
        progress.update(task, advance=1, description=f"loss {step():.4f}", refresh=True)
        progress.console.print("a line above the bar")
if sys.argv[1:] == ["left"]:
    unfinished = tqdm(range(9), bar_format="{n_fmt}/{total_fmt} left", mininterval=0, miniters=1)
    for _ in unfinished:
        if unfinished.n == 3:
            break
    import os

    os.write(1, b"the end of the script")
