"""A perturbation of the inputs that is to raise the loss of a model which stays as it is."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3)).requires_grad_(False)
delta = torch.zeros(256, 6, requires_grad=True)
optimizer = torch.optim.SGD([delta], lr=1.0)
for step in range(30):
    optimizer.zero_grad()
    loss = -nn.functional.cross_entropy(model(x + delta), y)
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        delta.clamp_(-0.1, 0.1)
print(f"loss of the model {-loss.item():.3f}")
