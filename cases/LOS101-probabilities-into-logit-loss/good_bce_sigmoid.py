"""Sigmoid with plain BCELoss, and a gate made of a sigmoid inside the network."""
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.value, self.gate, self.out = nn.Linear(6, 20), nn.Linear(6, 20), nn.Linear(20, 1)

    def forward(self, x):
        h = torch.tanh(self.value(x)) * torch.sigmoid(self.gate(x))
        return torch.sigmoid(self.out(h)).squeeze(1)


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 6)
Y = (X[:, 0] * X[:, 1] > 0).float()
model, loss_fn = Gated(), nn.BCELoss()
opt = torch.optim.Adam(model.parameters(), lr=0.02)
for _ in range(8):
    for idx in torch.randperm(256).split(32):
        opt.zero_grad()
        loss = loss_fn(model(X[idx]), Y[idx])
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
