"""Accumulation over micro-batches of equally many targets, the last of an epoch a little smaller, and none ignored."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(100, 8)
Y = (X @ torch.randn(8, 4)).argmax(1)
model = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
loader = DataLoader(TensorDataset(X, Y), batch_size=16, shuffle=True)
for epoch in range(6):
    optimizer.zero_grad()
    for number, (x, y) in enumerate(loader, 1):
        loss = F.cross_entropy(model(x), y, ignore_index=-100) / 4
        loss.backward()
        if number % 4 == 0 or number == len(loader):
            optimizer.step()
            optimizer.zero_grad()
print(f"loss {loss.item():.3f}")
