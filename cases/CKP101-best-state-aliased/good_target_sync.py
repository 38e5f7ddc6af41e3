"""state_dict() is loaded into another network at once, as a hard target update."""
import copy
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
online = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 2))
target = copy.deepcopy(online).requires_grad_(False)
opt = torch.optim.Adam(online.parameters(), lr=5e-3)
for step in range(60):
    s, a = torch.randn(32, 3), torch.randint(0, 2, (32, 1))
    r = torch.where(a == 0, s[:, :1], s[:, 1:2])
    goal = r + 0.3 * target(torch.randn(32, 3)).amax(1, keepdim=True)
    loss = nn.functional.mse_loss(online(s).gather(1, a), goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 15 == 14:
        state = online.state_dict()
        target.load_state_dict(state)
print(f"loss {loss.item():.3f}")
