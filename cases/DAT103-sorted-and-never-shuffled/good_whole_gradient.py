"""One step for each epoch, on the gradient of all the data: the order of the batches does not matter."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
Y = torch.arange(5).repeat_interleave(100)
X = torch.randn(5, 20)[Y] + torch.randn(500, 20)
loader = DataLoader(TensorDataset(X, Y), batch_size=25)
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for epoch in range(10):
    optimizer.zero_grad()
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y) / len(loader)
        loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
