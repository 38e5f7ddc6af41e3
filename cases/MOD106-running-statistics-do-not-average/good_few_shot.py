"""Few-shot learning uses the statistics of the batch at hand: momentum 1, or no running statistics at all."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8, momentum=1.0), nn.ReLU(),
    nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8, track_running_stats=False, momentum=0.99), nn.ReLU(), nn.Flatten(),
)  # fmt: skip
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for episode in range(25):
    prototypes = torch.randn(4, 1, 6, 6)
    support = prototypes + 0.3 * torch.randn(4, 1, 6, 6)
    query = prototypes + 0.3 * torch.randn(4, 1, 6, 6)
    distance = torch.cdist(model(query), model(support))
    loss = F.cross_entropy(-distance, torch.arange(4))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
