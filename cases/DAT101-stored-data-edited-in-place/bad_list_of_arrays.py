"""Waves of different lengths in a list; a fade is applied in place each time one is read."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    def __init__(self, count, rng):
        self.pitch = rng.integers(0, 2, count)
        self.waves = [np.sin(np.arange(40 + k % 5) * (0.3 + 0.3 * p)) for k, p in enumerate(self.pitch)]

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, k):
        wave = self.waves[k]
        wave[:32] *= np.linspace(0, 1, 32)  #~ DAT101
        return torch.tensor(wave[:32], dtype=torch.float32), int(self.pitch[k])


torch.manual_seed(0)
torch.set_num_threads(1)
data = Waves(120, np.random.default_rng(1))
net = nn.Sequential(nn.Linear(32, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for epoch in range(6):
    for wave, pitch in DataLoader(data, batch_size=12, shuffle=True):
        loss = nn.functional.cross_entropy(net(wave), pitch)
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}, energy {np.mean([np.square(w[:32]).mean() for w in data.waves]):.4f}")
