"""Accuracy along the classes, and the most typical sample of each class, which is looked for along the batch."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(500, 10)
y = x[:, :4].argmax(1)
train = DataLoader(TensorDataset(x[:400], y[:400]), batch_size=40, shuffle=True)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for inputs, targets in train:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()
    with torch.no_grad():
        scores = model(x[400:])
        typical = scores.argmax(0)
        right = (scores.argmax(1) == y[400:]).float().mean()
        sure = y[400:][typical] == torch.arange(4)
    print(epoch, right.item(), sure.sum().item())
