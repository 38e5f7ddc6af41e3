"""A backbone is loaded without its head, an adapter's few weights into a large model, and names are tried until some fit."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body, self.head = nn.Linear(6, 16), nn.Linear(16, classes)
        self.adapter = nn.Linear(16, 16)

    def forward(self, x):
        hidden = torch.relu(self.body(x))
        return self.head(hidden + self.adapter(hidden))


torch.manual_seed(0)
torch.set_num_threads(1)
source, net = Net(5), Net(2)
net.load_state_dict({name: value for name, value in source.state_dict().items() if not name.startswith("head")}, strict=False)
net.load_state_dict({"adapter.bias": torch.zeros(16)}, strict=False)
saved = {f"module.{name}": value for name, value in net.state_dict().items()}
for prefix in ("", "module."):
    result = net.load_state_dict({name.removeprefix(prefix): value.clone() for name, value in saved.items()}, strict=False)
    if not result.missing_keys:
        break
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(20):
    x = torch.randn(32, 6)
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x), (x.sum(1) > 0).long()).backward()
    optimizer.step()
