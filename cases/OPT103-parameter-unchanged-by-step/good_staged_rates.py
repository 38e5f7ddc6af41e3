"""Discriminative fine-tuning: the body's group has a rate of 0 for two epochs by plan and gets a real one later."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(240, 8)
Y = (X @ torch.randn(8, 3)).argmax(1)
body, head = nn.Sequential(nn.Linear(8, 32), nn.ReLU()), nn.Linear(32, 3)
PLAN = {0: (0.0, 0.02), 2: (0.005, 0.01), 4: (0.002, 0.002)}
opt = torch.optim.Adam([{"params": body.parameters()}, {"params": head.parameters()}], lr=0.01)
for epoch in range(6):
    if epoch in PLAN:
        for group, rate in zip(opt.param_groups, PLAN[epoch]):
            group["lr"] = rate
    for idx in torch.randperm(240).split(24):
        loss = nn.functional.cross_entropy(head(body(X[idx])), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
