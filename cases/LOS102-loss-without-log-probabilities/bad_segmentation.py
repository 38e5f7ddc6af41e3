"""Per-pixel scores of a convolution go into nll_loss, with gradient accumulation."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
opt.zero_grad()
for step in range(40):
    image = torch.rand(8, 1, 10, 10)
    mask = (image[:, 0] * 4).long().clamp(max=3)
    loss = F.nll_loss(net(image), mask, ignore_index=255) / 2  #~ LOS102
    loss.backward()
    if step % 2:
        opt.step()
        opt.zero_grad()
print(f"loss {loss.item():.3f}")
