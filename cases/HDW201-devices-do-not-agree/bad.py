"""A model that was built without memory is given data that has some."""

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
with torch.device("meta"):
    model = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 2))

data = torch.randn(64, 12)
labels = torch.randint(0, 2, (64,))
for step in range(2):
    batch = data[step * 32 : (step + 1) * 32]
    out = model(batch)  #~ HDW201
    loss = nn.functional.cross_entropy(out, labels[step * 32 : (step + 1) * 32])
    loss.backward()
print("ok")
