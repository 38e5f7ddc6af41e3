"""Noise from the global torch, numpy and random generators, which the loader seeds apart in every worker."""
import random
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Mixed(Dataset):
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        noise = 0.1 * torch.randn(4) + torch.from_numpy(np.random.normal(0, 0.1, 4)).float()
        return self.x[i] + noise + random.gauss(0, 0.1), self.x[i]


if __name__ == "__main__":
    torch.manual_seed(0)
    np.random.seed(0)
    random.seed(0)
    torch.set_num_threads(1)
    loader = DataLoader(Mixed(torch.randn(120, 4)), batch_size=12, shuffle=True, num_workers=2)
    net = nn.Linear(4, 4)
    opt = torch.optim.Adam(net.parameters(), lr=0.05)
    for epoch in range(2):
        for noisy, clean in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(noisy), clean)
            loss.backward()
            opt.step()
    print(f"loss {loss.item():.3f}")
