"""Training uses batches of sixteen; only predictions, in eval mode, come one by one."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(160, 1, 6, 6)
Y = (X.mean(dim=(1, 2, 3)) > 0).long()
net = nn.Sequential(nn.Conv2d(1, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.Flatten(), nn.Linear(96, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(4):
    net.train()
    for idx in torch.randperm(128).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(net(X[idx]), Y[idx]).backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        right = sum(int(net(X[i : i + 1]).argmax() == Y[i]) for i in range(128, 160))
print(f"{right} of 32 right")
