"""Fine-tuning with loaded statistics that must not move: momentum is set to 0 after loading."""
import torch
from torch import nn
import torch.nn.functional as F


def build():
    return nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))


def fit(model, X, Y, epochs):
    opt = torch.optim.Adam(model.parameters(), lr=0.01)
    model.train()
    for _ in range(epochs):
        for idx in torch.randperm(len(X)).split(32):
            loss = F.cross_entropy(model(X[idx]), Y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
    return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
X = 2 + torch.randn(256, 6)
Y = (X @ torch.randn(6, 3)).argmax(1)
first = build()
print(f"first {fit(first, X, Y, 3):.3f}")
second = build()
second.load_state_dict(first.state_dict())
for module in second.modules():
    if isinstance(module, nn.BatchNorm1d):
        module.momentum = 0.0
print(f"second {fit(second, X[:128], Y[:128], 3):.3f}")
