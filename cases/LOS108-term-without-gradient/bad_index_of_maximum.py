"""Codes of a quantised signal are to be used alike, but the term counts indices that come with the minimum."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
signal = torch.randn(400, 5)
encoder, decoder = nn.Linear(5, 3), nn.Linear(3, 5)
codes = nn.Parameter(torch.randn(8, 3))
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters(), codes], lr=0.05)
for rows in torch.randperm(400).split(40) * 3:
    x = signal[rows]
    hidden = encoder(x)
    nearest = (hidden.unsqueeze(1) - codes).square().sum(2).min(1).indices
    near = codes[nearest]
    usage = torch.zeros(8).index_add(0, nearest, torch.ones(len(x))) / len(x)
    balance = (usage * (usage + 1e-6).log()).sum()  #~ LOS108
    error = (decoder(hidden + (near - hidden).detach()) - x).square().mean()
    loss = error + (near - hidden).square().mean() + 0.1 * balance
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
