"""random_split cuts one data set into two disjoint parts, which share the same tensors underneath."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 6)
data = TensorDataset(X, X.pow(2).mean(1, keepdim=True))
train, held_out = random_split(data, [0.8, 0.2], generator=torch.Generator().manual_seed(1))
net = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(6):
    for x, y in DataLoader(train, batch_size=24, shuffle=True):
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()
    with torch.no_grad():
        x, y = next(iter(DataLoader(held_out, batch_size=60)))
        score = nn.functional.mse_loss(net(x), y).item()
print(f"held-out mse {score:.3f}")
