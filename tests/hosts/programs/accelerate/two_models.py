"""An actor and a critic, trained in turns by optimizers of their own, from data that is made on the fly."""

import torch
from accelerate import Accelerator
from torch import nn

torch.manual_seed(3)
accelerator = Accelerator(cpu=True)
actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
optimize_actor = torch.optim.Adam(actor.parameters(), lr=3e-3)
optimize_critic = torch.optim.Adam(critic.parameters(), lr=1e-2)
actor, critic, optimize_actor, optimize_critic = accelerator.prepare(actor, critic, optimize_actor, optimize_critic)
for step in range(80):
    states = torch.randn(64, 4)
    choices = torch.distributions.Categorical(logits=actor(states))
    actions = choices.sample()
    rewards = ((states[:, 0] > 0).long() == actions).float()
    values = critic(states).squeeze(-1)
    advantages = (rewards - values).detach()

    optimize_actor.zero_grad()
    accelerator.backward(-(choices.log_prob(actions) * advantages).mean() - 0.01 * choices.entropy().mean())
    accelerator.clip_grad_norm_(actor.parameters(), 0.5)
    optimize_actor.step()

    optimize_critic.zero_grad()
    accelerator.backward(nn.functional.mse_loss(values, rewards))
    optimize_critic.step()
    if step % 20 == 19:
        print(step, round(rewards.mean().item(), 6))
