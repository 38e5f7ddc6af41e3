"""States are loaded whole, with extra entries that the new version of the model no longer has."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
state = {name: value.clone() for name, value in model.state_dict().items()}
model.load_state_dict(state)
state["extra.weight"] = torch.zeros(3, 3)
model.load_state_dict(state, strict=False)
nn.ReLU().load_state_dict({}, strict=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(20):
    x = torch.randn(32, 6)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), (x.sum(1) > 0).long()).backward()
    optimizer.step()
