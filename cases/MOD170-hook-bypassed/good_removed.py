"""The hook is taken off again before training."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x)


features = []


def collect(module, inputs, output):
    features.append(output)


model = Net()
model.layers.register_forward_hook(collect).remove()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(20):
    x = torch.randn(32, 8)
    features.clear()
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss = loss + sum(1e-3 * feature.pow(2).mean() for feature in features)
    loss.backward()
    optimizer.step()
