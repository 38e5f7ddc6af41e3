"""Without batch norms there are no buffers to copy."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
tones = torch.randn(512, 1, 24) * 3 + 2
kinds = tones[:, 0, :12].mean(1).gt(2).long()
model = nn.Sequential(
    nn.Conv1d(1, 8, 5), nn.GroupNorm(2, 8), nn.ReLU(), nn.Conv1d(8, 8, 5), nn.GroupNorm(2, 8), nn.ReLU(), nn.Flatten(), nn.Linear(128, 2)
)
average = copy.deepcopy(model)
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
