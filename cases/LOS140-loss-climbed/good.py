"""A cross-entropy by hand."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(40):
    batch = torch.randint(0, 256, (32,))
    log_probabilities = nn.functional.log_softmax(model(x[batch]), dim=1)
    loss = -log_probabilities.gather(1, y[batch].unsqueeze(1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
