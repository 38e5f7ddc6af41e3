"""Texts are counts of words, brought to length one so that long texts count as much as short ones; one word is in all of them."""
import numpy as np
import torch
from sklearn.preprocessing import normalize
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(2)
topics = rng.integers(0, 2, 200)
rates = np.full((2, 30), 0.15)
rates[0, 1:8], rates[1, 8:15], rates[:, 0] = 1.5, 1.5, 40.0
x = torch.tensor(normalize(rng.poisson(rates[topics])), dtype=torch.float32)
y = torch.tensor(topics)
model = nn.Linear(30, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for step in range(30):
    rows = torch.randint(0, 200, (40,))
    loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
