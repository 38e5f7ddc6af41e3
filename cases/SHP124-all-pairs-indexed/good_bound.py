"""Information about drawn signs is kept low: what a reader says of all pairs is taken from what it says of those that belong together."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
reader = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.Adam(reader.parameters(), lr=0.01)
for _ in range(30):
    x, weight = torch.randn(40, 5), torch.rand(40)
    logp = reader(x).log_softmax(1)
    sign = torch.multinomial(logp.detach().exp(), 1).squeeze(1)
    together = logp.gather(1, sign[:, None]).squeeze(1)
    loss = (weight * together).mean() - (weight[:, None] * logp[:, sign]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
