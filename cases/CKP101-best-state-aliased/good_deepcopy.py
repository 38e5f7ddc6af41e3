"""The best state is kept by deepcopy and restored at the end."""
import copy
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(80, 10)
Y = X[:, :1] + 0.5 * torch.randn(80, 1)
net = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
best, state = float("inf"), None
for step in range(60):
    opt.zero_grad()
    nn.functional.mse_loss(net(X[:40]), Y[:40]).backward()
    opt.step()
    with torch.no_grad():
        score = nn.functional.mse_loss(net(X[40:]), Y[40:]).item()
    if score < best:
        best, state = score, copy.deepcopy(net.state_dict())
net.load_state_dict(state)
with torch.no_grad():
    print(f"best {best:.3f}, restored {nn.functional.mse_loss(net(X[40:]), Y[40:]).item():.3f}")
