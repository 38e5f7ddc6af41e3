"""One step for each epoch, on the gradient of the whole data, gathered batch by batch."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 10)
loader = DataLoader(TensorDataset(X, X.sum(1, keepdim=True)), batch_size=32)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(20):
    optimizer.zero_grad()
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y) / len(loader)
        loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
