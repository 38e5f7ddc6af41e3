"""A cosine schedule whose T_max counts epochs is stepped once per batch, so the rate swings up and down."""
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(384, 8)
    Y = X @ torch.randn(8, 1) + 2.0 * torch.randn(384, 1)
    loader = DataLoader(TensorDataset(X, Y), batch_size=32, shuffle=True)
    epochs = 5
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs)  #~ OPT110
    rates = []
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
            scheduler.step()  #~? OPT110
            rates.append(scheduler.get_last_lr()[0])
    rises = sum(b > a for a, b in zip(rates, rates[1:]))
    print(f"the rate rose {rises} times and ended at {rates[-1]:.4f}")


main()
