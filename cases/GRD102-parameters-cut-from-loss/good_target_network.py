"""A target network runs under no_grad and follows by soft updates; no optimizer owns it."""
import copy
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
online = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))
target = copy.deepcopy(online)
opt = torch.optim.Adam(online.parameters(), lr=5e-3)
for _ in range(60):
    s = torch.randn(64, 2)
    a = torch.randint(0, 2, (64,))
    r = torch.where(a == 1, s[:, 0], -s[:, 0])
    with torch.no_grad():
        goal = r + 0.5 * target(s.roll(1, 0)).amax(1)
    q = online(s)[torch.arange(64), a]
    loss = nn.functional.smooth_l1_loss(q, goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for t, o in zip(target.parameters(), online.parameters()):
            t += 0.1 * (o - t)
print(f"loss {loss.item():.3f}")
