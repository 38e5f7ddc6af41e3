"""A recurrent cell starts from a state of zeros, and a condition is left empty: their weights get no gradient, their biases do."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(5, 16)
        self.condition = nn.Linear(4, 16)
        self.out = nn.Linear(16, 3)

    def forward(self, x, given=None):
        state = self.cell(x, torch.zeros(len(x), 16))
        given = torch.zeros(len(x), 4) if given is None else given
        return self.out(torch.relu(state + self.condition(given)))


torch.manual_seed(0)
torch.set_num_threads(1)
net = Net()
nn.init.constant_(net.condition.bias, 0.01)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(60):
    x = torch.randn(32, 5)
    loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
