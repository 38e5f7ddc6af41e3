"""The average is made of a model that was trained before, frozen batch norms and all: its statistics are meant to stay."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
tones = torch.randn(512, 1, 24) * 3 + 2
kinds = tones[:, 0, :12].mean(1).gt(2).long()
model = nn.Sequential(
    nn.Conv1d(1, 8, 5), nn.BatchNorm1d(8), nn.ReLU(), nn.Conv1d(8, 8, 5), nn.BatchNorm1d(8), nn.ReLU(), nn.Flatten(), nn.Linear(128, 2)
)
with torch.no_grad():
    for chosen in torch.arange(400).split(20):
        model(tones[chosen])
average = copy.deepcopy(model).eval()
model.eval()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)


def follow(decay):
    with torch.no_grad():
        for slow, fast in zip(average.parameters(), model.parameters(), strict=True):
            slow.lerp_(fast, 1 - decay)


for step in range(60):
    chosen = torch.randint(0, 400, (32,))
    loss = nn.functional.cross_entropy(model(tones[chosen]), kinds[chosen])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    follow(0.9)

average.eval()
with torch.no_grad():
    right = (average(tones[400:]).argmax(1) == kinds[400:]).float().mean()
print(f"{right:.3f}")
