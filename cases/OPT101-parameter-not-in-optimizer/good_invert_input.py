"""Trains a classifier, then optimizes an input image that it calls class 2; the classifier is no longer stepped."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(192, 1, 6, 6)
Y = torch.stack([X.flatten(1)[:, k::3].sum(1) for k in range(3)], 1).argmax(1)
net = nn.Sequential(nn.Flatten(), nn.Linear(36, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for batch in torch.randperm(192).split(16):
    opt.zero_grad()
    F.cross_entropy(net(X[batch]), Y[batch]).backward()
    opt.step()

image = torch.zeros(1, 1, 6, 6, requires_grad=True)
image_opt = torch.optim.SGD([image], lr=0.5)
want = torch.tensor([2])
for _ in range(20):
    image_opt.zero_grad()
    loss = F.cross_entropy(net(image), want) + 0.01 * image.pow(2).sum()
    loss.backward()
    image_opt.step()
print(f"class {net(image).argmax(1).item()}, loss {loss.item():.3f}")
