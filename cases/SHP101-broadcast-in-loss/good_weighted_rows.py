"""Row weights [N] on per-row losses [N], channel weights [K] on [N, K] errors, both as meant."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(240, 6)
Y = X @ torch.randn(6, 3)
row_weight = torch.rand(240) + 0.5
channel_weight = torch.tensor([1.0, 0.5, 2.0])
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(8):
    for idx in torch.randperm(240).split(30):
        error = (model(X[idx]) - Y[idx]).pow(2)
        per_row = (error * channel_weight).mean(dim=1)
        loss = (per_row * row_weight[idx]).sum() / row_weight[idx].sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.4f}")
