"""A cache is filled in place, once for each index; later epochs read the same values."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Cached(Dataset):
    def __init__(self, n):
        self.cache = torch.zeros(n, 8)
        self.ready = [False] * n

    def __len__(self):
        return len(self.ready)

    def __getitem__(self, i):
        if not self.ready[i]:
            generator = torch.Generator().manual_seed(i)
            self.cache[i] = torch.randn(8, generator=generator)
            self.ready[i] = True
        return self.cache[i], self.cache[i].sum().view(1)


torch.manual_seed(0)
torch.set_num_threads(1)
loader = DataLoader(Cached(160), batch_size=16, shuffle=True)
net = nn.Linear(8, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
print(f"loss {loss.item():.5f}")
