"""Soft targets: smoothed labels, mixed-up labels, and masks scaled with a little overshoot."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 1, 1))
head = nn.Linear(4, 3)
opt = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=0.01)
for step in range(30):
    image = torch.randn(8, 1, 8, 8)
    mask = F.interpolate((image[:, :, ::2, ::2] > 0.5).float(), scale_factor=2, mode="bilinear")
    loss = F.binary_cross_entropy_with_logits(net(image), mask * 1.02 - 0.01)
    x, share = torch.randn(16, 4), torch.rand(())
    one_hot = F.one_hot(x[:, :3].argmax(1), 3).float()
    loss = loss + F.cross_entropy(head(x), share * one_hot + (1 - share) * one_hot.flip(0), label_smoothing=0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
