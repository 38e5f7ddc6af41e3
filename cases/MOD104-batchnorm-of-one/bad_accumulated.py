"""Accumulation over eight single samples does not give BatchNorm a batch of eight."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
EVERY = 8
X = torch.randn(160, 3, 12) + torch.randn(160, 1, 1)
Y = X.mean(dim=(1, 2))
net = nn.Sequential(
    nn.Conv1d(3, 8, 3),
    nn.BatchNorm1d(8),  #~? MOD104
    nn.ReLU(),
    nn.AdaptiveAvgPool1d(1),
    nn.Flatten(),
    nn.Linear(8, 1),
)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for epoch in range(2):
    order = torch.randperm(160)
    X, Y = X[order], Y[order]
    for i, (x, y) in enumerate(zip(X.split(1), Y.split(1)), start=1):
        loss = (net(x).squeeze(1) - y).pow(2).mean() / EVERY  #~ MOD104
        loss.backward()
        if i % EVERY == 0:
            opt.step()
            opt.zero_grad()
net.eval()
with torch.no_grad():
    error = (net(X).squeeze(1) - Y).pow(2).mean() / Y.var()
print(f"unexplained variance {error.item():.3f}")
