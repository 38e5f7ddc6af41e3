"""The gradients of the critic are cleared right before the backward of its own loss."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
actor = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)

for _ in range(30):
    states = torch.randn(32, 4)
    actions = 2 * torch.rand(32, 1) - 1
    rewards = -(actions - states[:, :1].tanh()).square()

    critic_loss = nn.functional.mse_loss(critic(torch.cat([states, actions], 1)), rewards)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()

    actor_loss = -critic(torch.cat([states, actor(states)], 1)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
print(f"{critic_loss.item():.3f} {actor_loss.item():.3f}")
