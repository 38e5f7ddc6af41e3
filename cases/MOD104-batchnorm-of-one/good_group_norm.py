"""Batches of one with GroupNorm, InstanceNorm and LayerNorm, none of which looks across the batch."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1),
    nn.GroupNorm(2, 8),
    nn.ReLU(),
    nn.Conv2d(8, 8, 3, padding=1),
    nn.InstanceNorm2d(8, affine=True),
    nn.ReLU(),
    nn.Conv2d(8, 1, 1),
)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(50):
    image = (torch.rand(1, 1, 12, 12) > 0.7).float()
    noisy = image + 0.3 * torch.randn_like(image)
    loss = nn.functional.binary_cross_entropy_with_logits(net(noisy), image)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
