"""Both sides are columns [N, 1], and a bias row is broadcast inside the model."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 6)
Y = X @ torch.randn(6, 1)
offset = nn.Parameter(torch.zeros(12))
lift, out = nn.Linear(6, 12, bias=False), nn.Linear(12, 1)
opt = torch.optim.Adam([offset, *lift.parameters(), *out.parameters()], lr=0.02)
for _ in range(8):
    for idx in torch.randperm(256).split(32):
        loss = ((out((lift(X[idx]) + offset).tanh()) - Y[idx]) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"mse {loss.item():.4f}")
