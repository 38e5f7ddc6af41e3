"""Minus the log-density of a normal distribution, which may have either sign, and a policy that is paid for what it does."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
model = nn.Linear(6, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(30):
    mean, scale = model(x).chunk(2, dim=1)
    density = torch.distributions.Normal(mean, nn.functional.softplus(scale) + 1e-3)
    optimizer.zero_grad()
    (-density.log_prob(0.1 * x[:, :1]).mean()).backward()
    optimizer.step()

policy = nn.Linear(6, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for step in range(30):
    choice = torch.distributions.Categorical(logits=policy(x))
    action = choice.sample()
    cost = (action != y).float() - 0.5
    optimizer.zero_grad()
    (choice.log_prob(action) * cost).mean().backward()
    optimizer.step()
print(f"cost {cost.mean().item():.3f}")
