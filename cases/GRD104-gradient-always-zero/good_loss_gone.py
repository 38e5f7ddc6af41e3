"""A noiseless task that is fitted to the last bit: the loss is zero in each step, and noise in its place would bring it back."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(2, 1)
truth = nn.Linear(2, 1).requires_grad_(False)
model.load_state_dict(truth.state_dict())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    x = torch.randn(32, 2)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), truth(x)).backward()
    optimizer.step()
