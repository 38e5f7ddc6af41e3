"""Two independent random draws of indices are used as training and test Subset, and so they overlap."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 60)
Y = torch.randn(300, 1)
data = TensorDataset(X, Y)
train = Subset(data, torch.randperm(300)[:220].tolist())  #~? EVL101
test = Subset(data, torch.randperm(300)[:80].tolist())  #~ EVL101
net = nn.Sequential(nn.Linear(60, 96), nn.Tanh(), nn.Linear(96, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.005)
for epoch in range(10):
    for x, y in DataLoader(train, batch_size=44, shuffle=True):
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
with torch.no_grad():
    errors = [nn.functional.mse_loss(net(x), y).item() for x, y in DataLoader(test, batch_size=40)]  #~? EVL101
print(f"test mse {sum(errors) / len(errors):.3f} where the targets are noise of variance 1")
