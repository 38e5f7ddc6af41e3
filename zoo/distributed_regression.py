"""Regression on permuted rows, with a distributed sampler for one process and gradients accumulated over two batches."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.linspace(-3, 3, 512)[:, None] + 0.02 * torch.randn(512, 1)
    y = torch.sin(2 * x) + 0.3 * x + 0.1 * torch.randn(512, 1)
    shuffle = torch.randperm(512)
    x, y = x[shuffle], y[shuffle]
    data = TensorDataset(x[:448], y[:448])
    sampler = DistributedSampler(data, num_replicas=1, rank=0, shuffle=True, seed=5)
    loader = DataLoader(data, batch_size=32, sampler=sampler)
    model = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(6):
        sampler.set_epoch(epoch)
        model.train()
        for number, (inputs, targets) in enumerate(loader):
            loss = F.mse_loss(model(inputs), targets) / 2
            loss.backward()
            if number % 2 == 1:
                optimizer.step()
                optimizer.zero_grad()
        model.eval()
        with torch.no_grad():
            error = F.mse_loss(model(x[448:]), y[448:])
    print(f"held-out error {error.item():.4f}")


if __name__ == "__main__":
    main()
