"""The loader is built anew for each epoch, with a generator that is seeded anew as well."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 10)
Y = X @ torch.randn(10, 1)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for epoch in range(6):
    generator = torch.Generator().manual_seed(0)
    loader = DataLoader(TensorDataset(X, Y), batch_size=32, shuffle=True, generator=generator)  #~ RNG102
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
