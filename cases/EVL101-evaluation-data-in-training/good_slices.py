"""Training and validation are slices that meet at the same index and share nothing."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 10)
Y = (X[:, :3].sum(1) > 0).long()
cut = 220
train = DataLoader(TensorDataset(X[:cut], Y[:cut]), batch_size=22, shuffle=True)
held_out = DataLoader(TensorDataset(X[cut:], Y[cut:]), batch_size=40)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(5):
    for x, y in train:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    with torch.no_grad():
        right = sum((net(x).argmax(1) == y).sum().item() for x, y in held_out)
print(f"accuracy {right / 80:.3f}")
