"""Days of a calendar in their order: the first batches all come from the first week, whose number is 0, and later ones do not."""
import torch
from torch import nn


class Sales(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 1)

    def forward(self, day, price):
        week = (day // 14).float()
        return self.net(torch.stack([week, (day % 14).float(), price], dim=1)).squeeze(1)


torch.manual_seed(0)
torch.set_num_threads(1)
net = Sales()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(24):
    day, price = torch.arange(32) // 11 + 3 * step, torch.rand(32)
    loss = nn.functional.mse_loss(net(day, price), price + 0.1 * day)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
