"""A feature is divided by its spread within the batch, and one late batch has none: the NaN is made before the model sees it."""
import torch
from torch import nn


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    table = torch.randn(640, 5)
    table[480:496, 2] = 1.5
    target = table[:, :1] - table[:, 1:2]
    net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for start in range(0, 640, 16):
        rows = table[start : start + 16]
        x = (rows - rows.mean(0)) / rows.std(0)  #~ NUM101
        loss = nn.functional.mse_loss(net(x), target[start : start + 16])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
