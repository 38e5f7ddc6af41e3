"""Matrices are decayed; biases and the parameters of the normalisation are in a group without decay."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 1))
matrices = [parameter for parameter in model.parameters() if parameter.dim() >= 2]
others = [parameter for parameter in model.parameters() if parameter.dim() < 2]
optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=1e-3)
for step in range(20):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
