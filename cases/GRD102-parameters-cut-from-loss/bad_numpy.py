"""Pooling over the set is done in numpy, which cuts the point network off from the loss."""
import torch
from torch import nn


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.point = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 4))
        self.set = nn.Linear(4, 1)

    def forward(self, cloud):
        h = self.point(cloud)
        pooled = torch.from_numpy(h.detach().numpy().max(axis=1))  #~ GRD102
        return self.set(pooled)


torch.manual_seed(0)
torch.set_num_threads(1)
model = PointNet()
opt = torch.optim.Adam(model.parameters(), lr=0.02)
for step in range(70):
    cloud = torch.randn(32, 10, 2)
    extent = (cloud[..., 0] - cloud[..., 1]).amax(1, keepdim=True)
    loss = (model(cloud) - extent).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.4f}")
