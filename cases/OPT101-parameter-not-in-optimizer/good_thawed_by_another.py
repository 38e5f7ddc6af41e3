"""Body and head have an optimizer each; the body is frozen while the head's is built and for its first epochs."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 8)
y = x[:, :3].argmax(1)
body, head = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.Linear(16, 3)
slow = torch.optim.SGD(body.parameters(), lr=1e-2)
body.requires_grad_(False)
fast = torch.optim.Adam(head.parameters(), lr=1e-2)
for epoch in range(6):
    body.requires_grad_(epoch >= 2)
    for index in torch.randperm(len(x)).split(32):
        slow.zero_grad()
        fast.zero_grad()
        nn.functional.cross_entropy(head(body(x[index])), y[index]).backward()
        fast.step()
        if epoch >= 3:
            slow.step()
