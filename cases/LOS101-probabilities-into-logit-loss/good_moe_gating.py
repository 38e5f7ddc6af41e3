"""A mixture of experts: the softmax gate mixes experts' logits before cross_entropy."""
import torch
from torch import nn
import torch.nn.functional as F


class Mixture(nn.Module):
    def __init__(self, experts=4):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(8, 3) for _ in range(experts))
        self.gate = nn.Linear(8, experts)

    def forward(self, x):
        weight = F.softmax(self.gate(x), dim=-1)
        logits = torch.stack([e(x) for e in self.experts], dim=1)
        return (weight.unsqueeze(-1) * logits).sum(dim=1)


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(320, 8)
Y = ((X[:, 0] > 0).long() + (X[:, 1] * X[:, 0] > 0).long())
net = Mixture()
opt = torch.optim.Adam(net.parameters(), lr=0.02)
for _ in range(6):
    for idx in torch.randperm(320).split(40):
        loss = F.cross_entropy(net(X[idx]), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
