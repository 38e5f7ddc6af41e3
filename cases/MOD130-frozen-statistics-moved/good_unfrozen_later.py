"""The part is frozen and in eval mode for two epochs, then it is trained with the rest."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
model = nn.Sequential(body, nn.Linear(16, 3))
body.requires_grad_(False)
body.eval()
optimizer = torch.optim.Adam(model.parameters(), 1e-2)
X = torch.randn(256, 8)
Y = X[:, :3].argmax(1)
for epoch in range(6):
    if epoch == 2:
        body.requires_grad_(True)
        model.train()
    for idx in torch.randperm(256).split(32):
        optimizer.zero_grad()
        F.cross_entropy(model(X[idx]), Y[idx]).backward()
        optimizer.step()
