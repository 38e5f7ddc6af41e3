"""The same classifier with its log-softmax over the classes."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 12)
Y = (X @ torch.randn(12, 4)).argmax(1)
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(5):
    for idx in torch.randperm(256).split(32):
        optimizer.zero_grad()
        loss = F.nll_loss(F.log_softmax(net(X[idx]), dim=1), Y[idx])
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
