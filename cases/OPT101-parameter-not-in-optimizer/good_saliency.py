"""Training interleaved with saliency maps, whose leaves are inputs and whose gradient to the weights is discarded."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(128, 1, 8, 8)
Y = (X[:, 0, 2:5, 2:5].mean((1, 2)) > 0).long()
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)


def saliency(images):
    images = images.clone().requires_grad_()
    net(images).max(dim=1).values.sum().backward()
    return images.grad.abs().amax(dim=1)


for epoch in range(6):
    for idx in torch.randperm(128).split(32):
        opt.zero_grad()
        F.cross_entropy(net(X[idx]), Y[idx]).backward()
        opt.step()
    heat = saliency(X[:8])
inside = heat[:, 2:5, 2:5].mean() / heat.mean()
print(f"saliency inside over mean {inside.item():.2f}")
