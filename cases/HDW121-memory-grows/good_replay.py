"""Two replay memories: one without a limit that is drawn from, and one whose limit is not reached yet."""

import random

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
random.seed(0)
CAPACITY = 5000
network = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
memory, recent = [], []
state = torch.randn(64, 32)
for step in range(200):
    action = network(state).argmax(1).detach()
    following = state * 0.9 + torch.randn(64, 32) * 0.1
    memory.append((state, action, following.mean(1)))
    recent.append(following)
    if len(recent) > CAPACITY:
        recent.pop(0)
    states, actions, rewards = random.sample(memory, 1)[0]
    values = network(states).gather(1, actions[:, None]).squeeze(1)
    optimizer.zero_grad()
    nn.functional.smooth_l1_loss(values, rewards).backward()
    optimizer.step()
    state = following
print(f"{len(memory)} kept")
