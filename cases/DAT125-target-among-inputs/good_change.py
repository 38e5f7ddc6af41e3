"""One pass in which a recurrent model says what the change to the next hour is, given windows that end where the change begins."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
load = torch.cumsum(torch.randn(500), 0)
windows = load.unfold(0, 16, 1)[:-1].unsqueeze(-1)
changes = load[16:] - load[15:-1]
memory, head = nn.GRU(1, 16, batch_first=True), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*memory.parameters(), *head.parameters()], lr=1e-2)
for window, change in DataLoader(TensorDataset(windows, changes), batch_size=32, shuffle=True):
    states, _ = memory(window - window[:, -1:])
    loss = nn.functional.mse_loss(head(states[:, -1]).squeeze(-1), change)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
