"""One block is used three times, as in ALBERT; a copy of it is later made for a separate probe model."""
import copy
import torch
from torch import nn


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        block = nn.Sequential(nn.Linear(8, 8), nn.Tanh())
        self.blocks = nn.ModuleList([block, block, block])
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return self.out(x)


def fit(model, x, y, steps=30):
    opt = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(steps):
        idx = torch.randint(0, len(x), (32,))
        loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(200, 8)
net = Shared()
first = fit(net, X, (X[:, 0] > X[:, 1]).long())
probe = nn.Sequential(copy.deepcopy(net.blocks[0]), nn.Linear(8, 2))
print(f"loss {first:.3f}, probe {fit(probe, X, (X[:, 2] > 0).long()):.3f}")
