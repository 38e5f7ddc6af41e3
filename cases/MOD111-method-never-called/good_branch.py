"""Methods are chosen by a condition and called later; a debugging branch that never runs only names one."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
debug = False
model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(40):
    switch = model.train if step % 10 else model.eval
    model.train()
    x = torch.randn(32, 8)
    if debug:
        model.eval
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    switch()
