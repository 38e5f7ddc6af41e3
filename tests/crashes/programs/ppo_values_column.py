#~ crash: SHP201
import torch
from torch import nn

critic = nn.Linear(6, 1)
observations = torch.randn(128, 6)
values = critic(observations).view(16, 8)  #~ maker
advantages = torch.randn(128)  #~ maker
returns = advantages + values.detach()  #~ fails
nn.functional.mse_loss(values, returns).backward()
