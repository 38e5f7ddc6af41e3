"""A control policy that ends in tanh imitates forces of several newtons, with a squared error by hand."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
state = torch.randn(300, 5)
force = 3.0 * state @ torch.randn(5, 2)
policy = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Linear(24, 2), nn.Tanh())  #~ LOS106
opt = torch.optim.SGD(policy.parameters(), lr=0.05)
for step in range(50):
    idx = torch.randint(0, 300, (30,))
    action = policy(state[idx])
    loss = ((action - force[idx]) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
