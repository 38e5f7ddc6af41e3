"""Two annotators have labelled each sample, and the loss trusts one of them more than the other; nothing is mixed."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
labels = torch.randint(0, 4, (256,))
samples = torch.randn(256, 20) + nn.functional.one_hot(labels, 20) * 3
second = torch.where(torch.rand(256) < 0.2, torch.randint(0, 4, (256,)), labels)
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    for x, one, two in DataLoader(TensorDataset(samples, labels, second), batch_size=32, shuffle=True):
        told = model(x)
        loss = 0.7 * nn.functional.cross_entropy(told, one) + 0.3 * nn.functional.cross_entropy(told, two)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
