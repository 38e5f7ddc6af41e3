"""Log-softmax over the last axis of [batch, classes, height, width], which is the width."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 4, 1), nn.LogSoftmax(dim=-1))  #~ LOS104
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(30):
    image = torch.rand(8, 1, 10, 10)
    mask = (image[:, 0] * 4).long().clamp(max=3)
    output = net(image)
    loss = F.nll_loss(output, mask)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
