"""The stored row is cloned before it is changed in place."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        row = self.x[i].clone()
        row += 0.1 * torch.randn_like(row)
        row.clamp_(-3, 3)
        return row, self.y[i]


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(160, 6)
loader = DataLoader(Noisy(X, (X[:, 0] > X[:, 1]).long()), batch_size=16, shuffle=True)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(5):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
