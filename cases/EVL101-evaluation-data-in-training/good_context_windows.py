"""Test windows reach back for their context, but every test target is a point that training never saw."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
SPLIT, WIDTH = 240, 8
series = torch.sin(torch.arange(320) * 0.4) + 0.1 * torch.randn(320)


def windows(values):
    frames = values.unfold(0, WIDTH + 1, 1)
    return TensorDataset(frames[:, :-1], frames[:, -1:])


train = windows(series[:SPLIT])
test = windows(series[SPLIT - WIDTH :])
net = nn.Sequential(nn.Linear(WIDTH, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(8):
    for x, y in DataLoader(train, batch_size=29, shuffle=True):
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
with torch.no_grad():
    x, y = next(iter(DataLoader(test, batch_size=len(test))))
    print(f"test mse {nn.functional.mse_loss(net(x), y).item():.3f} on {len(test)} unseen targets")
