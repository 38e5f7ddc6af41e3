"""A cosine over at most 30 epochs is cut short by early stopping, so it does not end where it was planned to."""
import copy
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(160, 10)
Y = X[:, :1] + 0.7 * torch.randn(160, 1)
net = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.02)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=30)
best, waited, kept = float("inf"), 0, None
for epoch in range(30):
    for idx in torch.randperm(80).split(20):
        opt.zero_grad()
        nn.functional.mse_loss(net(X[idx]), Y[idx]).backward()
        opt.step()
    schedule.step()
    with torch.no_grad():
        score = nn.functional.mse_loss(net(X[80:]), Y[80:]).item()
    if score < best:
        best, waited, kept = score, 0, copy.deepcopy(net.state_dict())
    else:
        waited += 1
    if waited == 3:
        break
net.load_state_dict(kept)
print(f"stopped after {epoch + 1} epochs, best {best:.3f}")
