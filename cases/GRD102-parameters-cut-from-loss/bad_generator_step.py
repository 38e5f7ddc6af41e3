"""The painter's own step is taken on a judgement of its detached pictures; that the critic's step detaches them is right."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
painter = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 9))
critic = nn.Sequential(nn.Linear(9, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
painting = torch.optim.RMSprop(painter.parameters(), lr=1e-3)
judging = torch.optim.RMSprop(critic.parameters(), lr=1e-3)
pictures = torch.randn(320, 9).cumsum(1)


def judged(scores, real):
    return nn.functional.softplus(-scores if real else scores).mean()


for step in range(40):
    shown = pictures[32 * (step % 10) :][:32]
    painted = painter(torch.randn(32, 6))
    judging.zero_grad()
    (judged(critic(shown), True) + judged(critic(painted.detach()), False)).backward()
    judging.step()

    painting.zero_grad()
    loss = judged(critic(painted.detach()), True)  #~ GRD102
    loss.backward()
    painting.step()
print(f"{loss.item():.3f}")
