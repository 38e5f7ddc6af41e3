"""A recurrent policy plays with detached states first, and is then trained on what it has played, through time."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
cell, policy = nn.GRUCell(3, 12), nn.Linear(12, 2)
optimizer = torch.optim.Adam([*cell.parameters(), *policy.parameters()], lr=0.01)
for episode in range(12):
    state, seen, chosen, rewards = torch.zeros(16, 12), [], [], []
    signal = torch.randn(16, 3)
    for _ in range(6):
        state = cell(signal, state).detach()
        action = torch.distributions.Categorical(logits=policy(state)).sample()
        seen.append(signal)
        chosen.append(action)
        rewards.append((action == (seen[0][:, 0] > 0)).float())
        signal = torch.randn(16, 3)
    advantage = torch.stack(rewards) - torch.stack(rewards).mean()
    state, loss = torch.zeros(16, 12), 0.0
    for signal, action, gain in zip(seen, chosen, advantage):
        state = cell(signal, state)
        loss = loss - (torch.distributions.Categorical(logits=policy(state)).log_prob(action) * gain).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
