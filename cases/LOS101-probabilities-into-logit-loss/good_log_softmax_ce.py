"""log_softmax outputs into CrossEntropyLoss: a second log_softmax changes nothing."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 6)
Y = (X[:, :3] + X[:, 3:]).argmax(1)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3), nn.LogSoftmax(dim=1))
criterion = nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(5):
    for idx in torch.randperm(256).split(32):
        opt.zero_grad()
        loss = criterion(net(X[idx]), Y[idx])
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
