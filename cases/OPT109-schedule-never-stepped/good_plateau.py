"""ReduceLROnPlateau is stepped with the held-out loss and lowers the rate only when that stalls."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 8)
Y = X[:, :1] * X[:, 1:2] + 0.3 * torch.randn(300, 1)
net = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.02)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=1)
for epoch in range(8):
    for idx in torch.randperm(200).split(25):
        opt.zero_grad()
        nn.functional.mse_loss(net(X[idx]), Y[idx]).backward()
        opt.step()
    with torch.no_grad():
        held_out = nn.functional.mse_loss(net(X[200:]), Y[200:]).item()
    plateau.step(held_out)
print(f"held-out {held_out:.3f}, rate {opt.param_groups[0]['lr']:.4f}")
