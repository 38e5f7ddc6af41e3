"""Train a classifier with cosine warm restarts, stepped in fractions of an epoch at every iteration."""

import torch
import torch.nn as nn
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(123)

# Two interleaved spirals of nearly one turn each.
count = 1400
label = torch.randint(0, 2, (count,))
radius = 0.2 + 0.8 * torch.rand(count)
angle = 6.0 * radius + 3.14159 * label
points = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1) + 0.03 * torch.randn(count, 2)
mean, std = points[:1120].mean(0), points[:1120].std(0)
points = (points - mean) / std

train_data = DataLoader(TensorDataset(points[:1120], label[:1120]), batch_size=32, shuffle=True)
test_data = DataLoader(TensorDataset(points[1120:], label[1120:]), batch_size=280)

net = nn.Sequential(
    nn.Linear(2, 64),
    nn.SiLU(),
    nn.Linear(64, 64),
    nn.SiLU(),
    nn.Linear(64, 1),
)
loss_function = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
scheduler = CosineAnnealingWarmRestarts(optimizer, T_0=2, T_mult=2, eta_min=1e-4)
iterations = len(train_data)

for epoch in range(14):  # cycles of 2, 4 and 8 epochs
    net.train()
    running = 0.0
    for i, (inputs, targets) in enumerate(train_data):
        optimizer.zero_grad()
        logits = net(inputs).squeeze(1)
        loss = loss_function(logits, targets.float())
        loss.backward()
        optimizer.step()
        scheduler.step(epoch + i / iterations)
        running += loss.item()
    if epoch in (1, 5, 13):
        net.eval()
        with torch.no_grad():
            hits = sum(((net(a).squeeze(1) > 0).long() == b).sum().item() for a, b in test_data)
        print(f"end of cycle at epoch {epoch + 1}: loss {running / iterations:.4f} accuracy {hits / 280:.3f}")
