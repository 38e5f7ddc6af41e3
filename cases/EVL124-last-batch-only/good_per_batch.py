"""Hits are counted from zero in each batch and kept in a list; a running loss is set back after it was printed."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 6)
y = x[:, :3].argmax(1)
train = DataLoader(TensorDataset(x[:192], y[:192]), batch_size=32, shuffle=True)
held = DataLoader(TensorDataset(x[192:], y[192:]), batch_size=16)
model = nn.Linear(6, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    running = 0.0
    for step, (a, b) in enumerate(train):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(a), b)
        loss.backward()
        optimizer.step()
        if step % 4 == 0:
            running = 0.0
        running += loss.item()
    print(running / len(train))
    shares = []
    with torch.no_grad():
        for a, b in held:
            correct = 0
            for k in range(3):
                correct += ((model(a).argmax(1) == b) & (b == k)).sum().item()
            shares.append(correct / len(b))
    print(epoch, sum(shares) / len(shares))
