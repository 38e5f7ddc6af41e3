"""The backbone is frozen at first and given to the optimizer as a second group when it thaws."""
import torch
from torch import nn


def batches(x, y, size=32):
    for idx in torch.randperm(len(x)).split(size):
        yield x[idx], y[idx]


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    backbone = nn.Sequential(nn.Linear(10, 32), nn.ReLU())
    head = nn.Linear(32, 3)
    backbone.requires_grad_(False)
    opt = torch.optim.AdamW(head.parameters(), lr=5e-3)
    X = torch.randn(256, 10)
    Y = (X @ torch.randn(10, 3)).argmax(1)
    for epoch in range(6):
        if epoch == 3:
            backbone.requires_grad_(True)
            opt.add_param_group({"params": backbone.parameters(), "lr": 1e-3})
        for x, y in batches(X, Y):
            opt.zero_grad(set_to_none=True)
            loss = nn.functional.cross_entropy(head(backbone(x)), y)
            loss.backward()
            opt.step()
    print(f"loss {loss.item():.3f}")


main()
