"""Each cloud keeps its highest points in order, and noise is sorted to meet the sorted sizes of the clouds."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.point = nn.Sequential(nn.Linear(3, 16), nn.ReLU())
        self.out = nn.Linear(16 * 5, 1)
        self.size = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, points, noise):
        pooled = []
        for cloud in points:
            order = cloud[:, 2].argsort(descending=True)
            pooled.append(self.point(cloud[order])[:5].flatten())
        sizes = self.size(noise.sort().values[:, None])
        return self.out(torch.stack(pooled)).squeeze(1), sizes.squeeze(1)


points = torch.randn(120, 12, 3)
clouds = DataLoader(TensorDataset(points, points[:, :, 2].amax(1)), batch_size=12, shuffle=True)
model = Pooled()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(3):
    for x, y in clouds:
        heights, sizes = model(x, torch.randn(len(x)))
        matched = nn.functional.mse_loss(sizes, x.norm(dim=2).mean(1).sort().values)
        loss = nn.functional.mse_loss(heights, y) + 0.1 * matched
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
