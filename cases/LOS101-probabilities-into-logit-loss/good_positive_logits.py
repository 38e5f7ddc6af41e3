"""Logits of a softplus, and similarities that happen to be small and positive, are no probabilities."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 7)
Y = (X[:, 0] > X[:, 1]).long() + (X[:, 2] > 1).long()
body = nn.Sequential(nn.Linear(7, 32), nn.ReLU())
head = nn.Linear(32, 3)
opt = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=0.01)
for epoch in range(5):
    for idx in torch.randperm(300).split(50):
        scores = F.softplus(head(body(X[idx])))
        shares = scores / scores.mean()
        loss = F.cross_entropy(scores, Y[idx]) + F.cross_entropy(shares, Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
