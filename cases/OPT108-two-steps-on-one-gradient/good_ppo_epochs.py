"""PPO-like reuse: several backward and step pairs on one batch of experience, each with a fresh gradient."""
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
torch.set_num_threads(1)
policy = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
opt = torch.optim.Adam(policy.parameters(), lr=0.01)
for iteration in range(15):
    s = torch.randn(128, 2)
    with torch.no_grad():
        dist = Categorical(logits=policy(s))
        a = dist.sample()
        old = dist.log_prob(a)
    reward = (a == (s[:, 0] > 0).long()).float()
    advantage = reward - reward.mean()
    for _ in range(4):
        ratio = (Categorical(logits=policy(s)).log_prob(a) - old).exp()
        clipped = ratio.clamp(0.8, 1.2)
        loss = -torch.min(ratio * advantage, clipped * advantage).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"mean reward {reward.mean().item():.3f}")
