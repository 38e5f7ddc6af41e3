"""An inner loop of steps forgets to compute the loss again, so each gradient is applied three times."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
inner = 3
policy = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 3))
opt = torch.optim.SGD(policy.parameters(), lr=1.5)
prize = torch.randn(4, 3)
for episode in range(25):
    state = torch.randn(64, 4)
    best = (state @ prize).argmax(1)
    loss = F.cross_entropy(policy(state), best)
    opt.zero_grad()
    loss.backward()
    for _ in range(inner):
        opt.step()  #~ OPT108
print(f"loss {loss.item():.3f}")
