"""A Q-learning update: values gathered to [N, 1] and squeezed before they meet targets [N]."""
import copy
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
q = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))
target_q = copy.deepcopy(q)
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
criterion = nn.MSELoss()
for step in range(50):
    s, s2 = torch.randn(32, 4), torch.randn(32, 4)
    a = torch.randint(0, 3, (32,))
    r = s[torch.arange(32), a]
    done = (torch.rand(32) < 0.1).float()
    value = q(s).gather(1, a.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        bootstrap = r + 0.9 * (1 - done) * target_q(s2).max(dim=1).values
    loss = criterion(value, bootstrap)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 9:
        target_q.load_state_dict(q.state_dict())
print(f"td loss {loss.item():.3f}")
