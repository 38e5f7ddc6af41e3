"""Reptile: each task trains a deep copy with an optimizer of its own, and the meta weights move toward it by hand."""
import copy
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
meta = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 1))


def task():
    amplitude, phase = torch.rand(1) * 2 + 0.5, torch.rand(1) * 0.5
    return lambda x: amplitude * torch.sin(x + phase)


for _ in range(15):
    wave, learner = task(), copy.deepcopy(meta)
    inner = torch.optim.SGD(learner.parameters(), lr=0.05)
    for _ in range(5):
        x = torch.rand(20, 1) * 6 - 3
        loss = (learner(x) - wave(x)).pow(2).mean()
        inner.zero_grad()
        loss.backward()
        inner.step()
    with torch.no_grad():
        for m, p in zip(meta.parameters(), learner.parameters()):
            m += 0.3 * (p - m)
print(f"last task's loss {loss.item():.3f}")
