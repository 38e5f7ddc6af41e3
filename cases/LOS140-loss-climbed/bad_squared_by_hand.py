"""The negative of a squared error that is written out, times a weight, in bfloat16."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
model = nn.Sequential(nn.Linear(6, 24), nn.GELU(), nn.Linear(24, 1))
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-4)
target = x.sum(1)
for step in range(40):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        error = model(x).squeeze(1) - target
    loss = -0.5 * (error**2).mean()  #~ LOS140
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
