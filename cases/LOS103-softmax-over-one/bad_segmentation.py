"""Foreground segmentation with one channel and a log-softmax over it, written out by hand."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Conv2d(2, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 1, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(30):
    image = torch.randn(4, 2, 8, 8)
    mask = (image[:, :1] > 0.5).float()
    log_p = torch.log_softmax(net(image), dim=1)  #~ LOS103
    loss = -(mask * log_p).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
