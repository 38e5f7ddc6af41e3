#~ crash: SHP201
#~ edit: unsqueeze(1)
import torch
from torch import nn

critic = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))
states = torch.randn(64, 4)
actions = torch.randint(0, 3, (64,))  #~ maker
values = critic(states)
q = values.gather(1, actions)  #~ fails
q.mean().backward()
