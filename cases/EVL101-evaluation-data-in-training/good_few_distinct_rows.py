"""Four binary features: equal rows occur in both parts by chance, though no sample is in both."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = (torch.rand(320, 4) < 0.5).float()
Y = ((X.sum(1) + (torch.rand(320) < 0.1).float()) > 2).long()
order = torch.randperm(320)
train, test = order[:240], order[240:]
loader = DataLoader(TensorDataset(X[train], Y[train]), batch_size=24, shuffle=True)
test_loader = DataLoader(TensorDataset(X[test], Y[test]), batch_size=80)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.02)
for epoch in range(6):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
with torch.no_grad():
    print(f"accuracy {sum((net(x).argmax(1) == y).float().mean().item() for x, y in test_loader):.3f}")
