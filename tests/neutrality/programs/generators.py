"""Every random generator is where it would be."""
import random

import numpy
import hashlib


def sha(data):
    return hashlib.sha256(data).hexdigest()[:16]


import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 12)
        self.norm = nn.BatchNorm1d(12)
        self.drop = nn.Dropout(0.3)
        self.last = nn.Linear(12, 3)

    def forward(self, x):
        return self.last(self.drop(torch.relu(self.norm(self.first(x)))))


def train(model, optimizer, steps=5):
    for _ in range(steps):
        x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


from torch.utils.data import DataLoader, TensorDataset

random.seed(3)
numpy.random.seed(4)
own = torch.Generator().manual_seed(5)
fixed = numpy.random.default_rng(6)
model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
data = TensorDataset(torch.randn(64, 6), torch.randint(0, 3, (64,)))
for epoch in range(3):
    for x, y in DataLoader(data, batch_size=8, shuffle=True, generator=own if epoch else None):
        x = x + torch.from_numpy(fixed.normal(size=(8, 6)).astype("float32")) * random.random()
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        model(torch.randn(4, 6))
    model.train()
    print(loss.item())
    print(sha(torch.get_rng_state().numpy().tobytes()), sha(own.get_state().numpy().tobytes()), sha(repr(random.getstate()).encode()))
    print(sha(str(numpy.random.get_state()).encode()), fixed.bit_generator.state["state"], torch.initial_seed())
with torch.random.fork_rng():
    torch.manual_seed(9)
print(torch.rand(2), random.random(), numpy.random.rand())
