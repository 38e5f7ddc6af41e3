"""The hook is on all modules, of which the list and the projection are never called."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.extra = nn.ModuleList([nn.Linear(8, 1)])

    def forward(self, x):
        x = x[:, None].repeat(1, 4, 1)
        return self.extra[0](self.attention(x, x, x)[0].mean(1))


features = []


def collect(module, inputs, output):
    features.append(output)


model = Net()
for module in model.modules():
    module.register_forward_hook(lambda module, inputs, output: None)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(20):
    x = torch.randn(32, 8)
    features.clear()
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss = loss + sum(1e-3 * feature.pow(2).mean() for feature in features)
    loss.backward()
    optimizer.step()
