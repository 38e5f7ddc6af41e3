"""A generator in the data set, but the loader has no workers, so it runs on from epoch to epoch."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Masked(Dataset):
    def __init__(self, x, seed=0):
        self.x, self.rng = x, np.random.default_rng(seed)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        keep = torch.from_numpy(self.rng.random(self.x.shape[1]) > 0.2)
        return self.x[i] * keep, self.x[i]


torch.manual_seed(0)
torch.set_num_threads(1)
loader = DataLoader(Masked(torch.randn(160, 3) @ torch.randn(3, 8)), batch_size=20, shuffle=True)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(5):
    for masked, whole in loader:
        loss = nn.functional.mse_loss(net(masked), whole)
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
