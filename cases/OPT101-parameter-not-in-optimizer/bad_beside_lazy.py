"""A model of lazy layers, one of which never runs, and a head that no optimizer owns."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body, spare = nn.Sequential(nn.LazyLinear(8), nn.ReLU()), nn.LazyLinear(3)
head = nn.Linear(8, 1)  #~ OPT101
optimizer = torch.optim.Adam([*body.parameters(), *spare.parameters()], weight_decay=0.01)
for step in range(30):
    x = torch.randn(8, 4)
    loss = (head(body(x)) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
