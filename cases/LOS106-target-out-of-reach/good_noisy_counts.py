"""A relu for photon counts, the measurements of which scatter around zero a little below it too."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 4)
rate = torch.relu(X @ torch.randn(4, 1)) * 5
measured = rate + 0.1 * torch.randn(256, 1)
model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1), nn.ReLU())
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    for idx in torch.randperm(256).split(32):
        loss = nn.functional.mse_loss(model(X[idx]), measured[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
