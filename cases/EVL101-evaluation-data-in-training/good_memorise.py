"""Can the net memorise 64 random labels? `eval_loader` reads the same data again, in order: a check of the net, not of its quality."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
data = TensorDataset(torch.randn(64, 8), torch.randint(0, 3, (64,)))
loader = DataLoader(data, batch_size=16, shuffle=True)
eval_loader = DataLoader(data, batch_size=64)
net = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(10):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
with torch.no_grad():
    memorised = sum((net(x).argmax(1) == y).sum().item() for x, y in eval_loader)
print(f"memorised {memorised} of 64")
