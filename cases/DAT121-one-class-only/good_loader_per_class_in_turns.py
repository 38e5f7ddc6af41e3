"""Two loaders of one class each take turns: a batch of negatives, then one of positives."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(600, 8)
y = (x[:, 0] > 0).float()
negatives = DataLoader(TensorDataset(x[y == 0], y[y == 0]), batch_size=20, shuffle=True)
positives = DataLoader(TensorDataset(x[y == 1], y[y == 1]), batch_size=20, shuffle=True)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for pair in zip(negatives, positives):
        optimizer.zero_grad()
        for inputs, targets in pair:
            loss = nn.functional.binary_cross_entropy_with_logits(model(inputs).squeeze(1), targets)
            loss.backward()
        optimizer.step()
    print(epoch, loss.item())
