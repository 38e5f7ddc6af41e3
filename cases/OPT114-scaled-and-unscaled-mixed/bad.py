"""An auxiliary loss goes backward on its own, past the gradient scaler."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body, head, aux = nn.Linear(8, 16), nn.Linear(16, 1), nn.Linear(16, 1)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters(), *aux.parameters()], lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=4096.0)
for step in range(30):
    x = torch.randn(32, 8)
    hidden = torch.tanh(body(x))
    optimizer.zero_grad()
    scaler.scale(nn.functional.mse_loss(head(hidden), x.sum(1, keepdim=True))).backward(retain_graph=True)
    nn.functional.mse_loss(aux(hidden), x.prod(1, keepdim=True)).backward()  #~ OPT114
    scaler.step(optimizer)
    scaler.update()
