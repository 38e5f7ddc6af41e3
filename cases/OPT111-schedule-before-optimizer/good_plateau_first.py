"""A held-out loss is measured before training and given to ReduceLROnPlateau at the head of each later epoch."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 5)
Y = X.sum(1, keepdim=True).sin()
net = nn.Sequential(nn.Linear(5, 48), nn.ReLU(), nn.Linear(48, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.02)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=1, factor=0.5)
for epoch in range(6):
    if epoch:
        with torch.no_grad():
            held_out = nn.functional.mse_loss(net(X[200:]), Y[200:])
        plateau.step(held_out)
    for idx in torch.randperm(200).split(20):
        loss = nn.functional.mse_loss(net(X[idx]), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}, held-out {held_out.item():.3f}")
