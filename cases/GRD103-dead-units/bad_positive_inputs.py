"""Inputs are never negative and all initial weights are, so no hidden unit ever fires."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
hidden = nn.Linear(12, 24)  
nn.init.uniform_(hidden.weight, -0.5, 0.0)  #~ GRD103
nn.init.zeros_(hidden.bias)
readout = nn.Linear(24, 1)
opt = torch.optim.SGD([*hidden.parameters(), *readout.parameters()], lr=0.05, momentum=0.9)
counts = torch.rand(200, 12)
target = counts[:, :4].sum(1, keepdim=True)
for step in range(80):
    idx = torch.randint(0, 200, (40,))
    loss = F.mse_loss(readout(F.relu(hidden(counts[idx]))), target[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}, variance of the target {target.var().item():.3f}")
