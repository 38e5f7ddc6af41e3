"""A binary classifier whose logits go through a relu before binary cross-entropy with logits."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 6)
Y = (X[:, 0] * 2 > X[:, 1]).float()
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(5):
    for idx in torch.randperm(256).split(32):
        score = F.relu(net(X[idx])).squeeze(1)  #~ LOS106
        loss = F.binary_cross_entropy_with_logits(score, Y[idx])  #~? LOS106
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
