"""REINFORCE: rewards are plain numbers and the baseline is detached, but log-probabilities keep the graph."""
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
torch.set_num_threads(1)
policy = nn.Linear(3, 4)
value = nn.Linear(3, 1)
opt = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=0.05)
for _ in range(60):
    s = torch.randn(64, 3)
    dist = Categorical(logits=policy(s))
    action = dist.sample()
    reward = (action == (s[:, 0] > 0).long()).float()
    v = value(s).squeeze(1)
    advantage = (reward - v).detach()
    loss = -(dist.log_prob(action) * advantage).mean() + 0.5 * (v - reward).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"reward {reward.mean().item():.3f}")
