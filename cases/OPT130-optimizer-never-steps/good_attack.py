"""Loads a training checkpoint, optimizer included, and only measures how far inputs must be moved."""
import io

import torch
from torch import nn

torch.manual_seed(0)


def build():
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    return net, torch.optim.Adam(net.parameters(), lr=1e-3)


X = torch.randn(256, 8)
Y = X[:, :3].argmax(1)
net, optimizer = build()
buffer = io.BytesIO()
torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, buffer)
buffer.seek(0)
state = torch.load(buffer)
net, optimizer = build()
net.load_state_dict(state["net"])
optimizer.load_state_dict(state["optimizer"])
net.eval()
for idx in torch.arange(256).split(16):
    x = X[idx].clone().requires_grad_()
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x), Y[idx]).backward()
    moved = x.detach() + 0.1 * x.grad.sign()
