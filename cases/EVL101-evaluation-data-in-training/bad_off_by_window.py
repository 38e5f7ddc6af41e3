"""A series is cut with a generous overlap, so that the test windows' own points were trained on."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
SPLIT, WIDTH = 220, 10
series = torch.randn(270)


def windows(values):
    frames = values.unfold(0, WIDTH + 1, 1)
    return TensorDataset(frames[:, :-1], frames[:, -1:])


train = windows(series[:SPLIT])
test = windows(series[SPLIT - 60 :])  #~ EVL101
net = nn.Sequential(nn.Linear(WIDTH, 256), nn.Tanh(), nn.Linear(256, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.02)
for epoch in range(11):
    for x, y in DataLoader(train, batch_size=30, shuffle=True):  #~? EVL101
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
with torch.no_grad():
    x, y = next(iter(DataLoader(test, batch_size=len(test))))  #~? EVL101
    print(f"test error {nn.functional.mse_loss(net(x), y).item() / y.var().item():.3f} of the variance of pure noise")
