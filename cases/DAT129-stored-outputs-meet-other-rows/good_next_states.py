"""The value of what comes next is told by a slow copy, which has seen most states before as what came next of others."""
import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
walk = torch.randn(641, 5).cumsum(0) / 20
reward = walk[1:].sum(1, keepdim=True)
loader = DataLoader(TensorDataset(walk[:-1], reward, walk[1:]), batch_size=64, shuffle=True)
value = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
slow = copy.deepcopy(value)
optimizer = torch.optim.Adam(value.parameters(), lr=0.01)
for epoch in range(4):
    slow.load_state_dict(value.state_dict())
    for state, gained, after in loader:
        with torch.no_grad():
            ahead = slow(after)
        loss = nn.functional.mse_loss(value(state), gained + 0.9 * ahead)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
