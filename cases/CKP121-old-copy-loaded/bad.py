"""A target network is brought up to date with a copy that was taken once, before training."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
online = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target = copy.deepcopy(online)
weights = copy.deepcopy(online.state_dict())
optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
for step in range(60):
    state, action, reward = torch.randn(32, 4), torch.randint(2, (32, 1)), torch.randn(32)
    following = state + 0.1 * torch.randn(32, 4)
    with torch.no_grad():
        wanted = reward + 0.9 * target(following).max(1).values
    value = online(state).gather(1, action).squeeze(1)
    loss = nn.functional.smooth_l1_loss(value, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 9:
        target.load_state_dict(weights)  #~ CKP121
print(f"loss {loss.item():.3f}")
