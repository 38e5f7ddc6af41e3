"""A tutor learns which exercise helps a pupil most, by the probability of the exercise that each pupil got."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
tutor = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 6))
optimizer = torch.optim.Adam(tutor.parameters(), lr=0.01)
helps = torch.randn(5, 6)
for _ in range(30):
    pupils = torch.randn(48, 5)
    logp = tutor(pupils).log_softmax(1)
    exercise = torch.multinomial(logp.detach().exp(), 1)[:, 0]
    gain = (pupils @ helps)[torch.arange(48), exercise]
    gain = gain - gain.mean()
    taken = logp[torch.arange(48), exercise]
    loss = -(gain * taken).sum() / 48
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
