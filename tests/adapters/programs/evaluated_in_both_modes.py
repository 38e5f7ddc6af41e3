"""Evaluates a model in train mode and in eval mode, and tells which dispatch modes are active afterwards."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(4):
    net.train()
    for _ in range(5):
        x = torch.randn(8, 4)
        loss = (net(x) - x[:, :1]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.train(epoch < 2)
    with torch.no_grad():
        x = torch.randn(8, 4)
        error = (net(x) - x[:, :1]).pow(2).mean().item()
    print(f"error {error:.6f}, active modes {torch._C._len_torch_dispatch_stack()}")
