"""The rare class is repeated before the random split, so that copies of test samples are trained on."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def oversample(x, y, times=6):
    rare = y == 1
    return torch.cat([x] + [x[rare]] * times), torch.cat([y] + [y[rare]] * times)


def split(x, y, share=0.8):
    x, y = oversample(x, y)
    order = torch.randperm(len(x))  #~ EVL101
    cut = int(share * len(x))
    train, test = order[:cut], order[cut:]
    return (x[train], y[train]), (x[test], y[test])


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(280, 50)
Y = (torch.rand(280) < 0.125).long()
train, test = split(X, Y)
train_loader = DataLoader(TensorDataset(*train), batch_size=50, shuffle=True)  #~? EVL101
test_loader = DataLoader(TensorDataset(*test), batch_size=50)  #~? EVL101
net = nn.Sequential(nn.Linear(50, 64), nn.ReLU(), nn.Linear(64, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(7):
    for x, y in train_loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
found = rare = 0
with torch.no_grad():
    for x, y in test_loader:
        found += ((net(x).argmax(1) == 1) & (y == 1)).sum().item()
        rare += (y == 1).sum().item()
print(f"{found} of {rare} rare samples found in the test set, whose labels are pure chance")
