"""Momentum 0, meant as "no smoothing": the running statistics stay what they were made as."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 32)
        self.norm = nn.BatchNorm1d(32, momentum=0.0)  #~ MOD106
        self.last = nn.Linear(32, 1)

    def forward(self, x):
        return self.last(torch.relu(self.norm(self.first(x))))


torch.manual_seed(0)
torch.set_num_threads(1)
X = 4 + 3 * torch.randn(256, 8)
Y = X.sum(1, keepdim=True) / 10
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(4):
    net.train()
    for idx in torch.randperm(192).split(32):
        loss = nn.functional.mse_loss(net(X[idx]), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.inference_mode():
        print(f"train {loss.item():.3f} validation {nn.functional.mse_loss(net(X[192:]), Y[192:]).item():.3f}")
