"""Illegal actions get a logit of minus infinity in a policy; their gradient is an exact zero."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
policy = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 6))
opt = torch.optim.Adam(policy.parameters(), lr=0.01)
for _ in range(60):
    state = torch.randn(64, 5)
    legal = torch.rand(64, 6) < 0.6
    legal[:, 0] = True
    masked = policy(state).masked_fill(~legal, float("-inf"))
    dist = torch.distributions.Categorical(logits=masked)
    action = dist.sample()
    reward = (action % 2 == (state[:, 0] > 0).long()).float()
    loss = -(dist.log_prob(action) * (reward - reward.mean())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"reward {reward.mean().item():.3f}")
