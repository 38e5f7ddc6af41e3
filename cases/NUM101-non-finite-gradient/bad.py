"""A spread penalty takes the square root of a variance that is exactly zero for one late batch."""
import torch
from torch import nn


def spread(features):
    variance = features.var(dim=0, correction=0)
    return torch.sqrt(variance).mean()  #~ NUM101


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    encoder = nn.Linear(5, 8)
    head = nn.Linear(8, 1)
    optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=0.01)
    data = torch.randn(600, 5)
    data[440:460] = 0.25
    for start in range(0, 600, 20):
        x = data[start : start + 20]
        h = encoder(x)
        loss = (head(h) - x[:, :1]).pow(2).mean() - 0.01 * spread(h)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}, weight {head.weight[0, 0].item():.3f}")


main()
