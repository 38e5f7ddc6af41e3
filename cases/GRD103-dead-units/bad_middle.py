"""One of three hidden layers is dead from the start: what lies behind it learns from biases alone, what lies before it not at all."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(6, 24)
        self.squeeze = nn.Linear(24, 12)
        self.decode = nn.Linear(12, 24)
        self.out = nn.Linear(24, 2)
        self.squeeze.bias.data.fill_(-6.0)  #~ GRD103

    def forward(self, x):
        code = self.squeeze(self.encode(x).tanh()).relu()
        return self.out(torch.relu(self.decode(code)))


torch.manual_seed(0)
torch.set_num_threads(1)
net = Net()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
for step in range(60):
    x = torch.randn(64, 6)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
