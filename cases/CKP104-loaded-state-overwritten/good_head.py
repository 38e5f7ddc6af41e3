"""The head of a loaded model is initialised anew; the rest stays as it was loaded."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
source = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
for module in model.modules():
    if isinstance(module, nn.Linear):
        nn.init.orthogonal_(module.weight)
model.load_state_dict(source.state_dict())
nn.init.normal_(model[2].weight, std=0.01)
nn.init.zeros_(model[2].bias)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(20):
    x = torch.randn(32, 6)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), (x.sum(1) > 0).long()).backward()
    optimizer.step()
