"""The column that is to be predicted is taken out of the table."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(0)
table = rng.normal(size=(480, 7)).astype("float32")
table[:, 4] = table[:, 0] - 0.5 * table[:, 2] + 0.4 * rng.normal(size=480)

x = torch.from_numpy(np.delete(table, 4, axis=1))
y = torch.from_numpy(table[:, 4])
train = DataLoader(TensorDataset(x[:400], y[:400]), batch_size=40, shuffle=True)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    for features, price in train:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(features).squeeze(-1), price)
        loss.backward()
        optimizer.step()
with torch.no_grad():
    error = (model(x[400:]).squeeze(-1) - y[400:]).abs().mean()
print(f"held-out error {error.item():.3f}")
