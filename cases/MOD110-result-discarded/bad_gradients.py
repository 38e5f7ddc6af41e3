"""A loop that means to clamp each gradient by hand, and a critic's weights after the step."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
critic = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(), nn.Linear(16, 1))
optimizer = torch.optim.RMSprop(critic.parameters(), lr=5e-4)
for step in range(40):
    real, fake = torch.randn(32, 4) + 1, torch.randn(32, 4)
    loss = critic(fake).mean() - critic(real).mean()
    optimizer.zero_grad()
    loss.backward()
    for weight in critic.parameters():
        torch.clamp(weight.grad, -1, 1)  #~ MOD110
    optimizer.step()
    for weight in critic.parameters():
        weight.data.clamp(-0.01, 0.01)  #~ MOD110
