"""The head is replaced after the optimizer was built, and the new one is added with add_param_group."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 8)
Y = (X @ torch.randn(8, 3)).argmax(1)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 10))
opt = torch.optim.Adam(net[0].parameters(), lr=1e-3)
net[2] = nn.Linear(32, 3)
opt.add_param_group({"params": net[2].parameters(), "lr": 1e-2})
criterion = nn.CrossEntropyLoss()
for _ in range(5):
    for idx in torch.randperm(256).chunk(8):
        opt.zero_grad()
        loss = criterion(net(X[idx]), Y[idx])
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
