"""Layer-wise rates are computed with an integer division, so that all layers but the last get a rate of zero."""
import torch
from torch import nn


def layerwise_groups(blocks, base):
    layers = len(blocks)
    groups = []
    for depth, block in enumerate(blocks, start=1):
        groups.append({"params": block.parameters(), "lr": base * (depth // layers)})  #~? OPT103
    return groups


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    blocks = nn.ModuleList([nn.Linear(2, 16), nn.Linear(16, 16), nn.Linear(16, 2)])
    optimizer = torch.optim.Adam(layerwise_groups(blocks, 0.02))  #~ OPT103
    for step in range(80):
        x = torch.rand(64, 2) * 2 - 1
        y = ((3 * x[:, 0]).sin() > x[:, 1]).long()
        h = x
        for block in blocks[:-1]:
            h = torch.tanh(block(h))
        loss = nn.functional.cross_entropy(blocks[-1](h), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
