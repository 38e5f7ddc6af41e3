"""Softmax and sigmoid are used for the metrics only; the loss gets the logits."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 7)
Y = (X[:, 0] > X[:, 1]).long() + (X[:, 2] > 1).long()
model = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(model.parameters(), lr=0.01)
confidence = []
for epoch in range(5):
    for idx in torch.randperm(300).split(50):
        logits = model(X[idx])
        probs = F.softmax(logits, dim=1)
        loss = F.cross_entropy(logits, Y[idx])
        confidence.append(probs.max(1).values.mean().item())
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}, confidence {confidence[0]:.2f} -> {confidence[-1]:.2f}")
