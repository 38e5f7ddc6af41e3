"""Acting under no_grad with a network that has no dropout and no batch statistics, so its mode says nothing."""
import random
import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)
torch.set_num_threads(1)
policy = nn.Sequential(nn.Linear(1, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(policy.parameters(), lr=0.01)
position, replay, total = 0.0, [], 0.0
for t in range(200):
    if random.random() < max(0.1, 1 - t / 100):
        action = random.randrange(2)
    else:
        with torch.no_grad():
            action = policy(torch.tensor([[position]])).argmax(1).item()
    new = max(-1.0, min(1.0, position + (0.2 if action else -0.2)))
    reward = -abs(new - 0.5)
    replay.append((position, action, reward))
    position, total = new, total + reward
    if t >= 40 and t % 4 == 0:
        s, a, r = (torch.tensor(v) for v in zip(*random.sample(replay, 32)))
        value = policy(s[:, None]).gather(1, a[:, None])[:, 0]
        loss = (value - r).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"mean reward {total / 200:.3f}, loss {loss.item():.4f}")
