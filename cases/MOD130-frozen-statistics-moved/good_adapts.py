"""The weights are frozen and the statistics are meant to adapt: nobody put the part into eval mode before training."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
model = nn.Sequential(body, nn.Linear(16, 3))
body.requires_grad_(False)
optimizer = torch.optim.Adam(model[1].parameters(), 1e-2)
X = torch.randn(256, 8) * 2 + 1
Y = X[:, :3].argmax(1)
for epoch in range(6):
    model.train()
    for idx in torch.randperm(200).split(25):
        optimizer.zero_grad()
        F.cross_entropy(model(X[idx]), Y[idx]).backward()
        optimizer.step()
    body.eval()
    model[1].eval()
    with torch.no_grad():
        print((model(X[200:]).argmax(1) == Y[200:]).float().mean().item())
