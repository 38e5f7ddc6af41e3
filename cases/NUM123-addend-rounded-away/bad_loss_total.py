"""The loss of an epoch is added up in the half precision that the model works in, and its mean is reported."""

import torch
from torch import nn

torch.manual_seed(2)
torch.set_num_threads(1)
x = torch.randn(900, 8)
y = torch.randint(0, 4, (900,))
model = nn.Linear(8, 4).bfloat16()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total = torch.zeros((), dtype=torch.bfloat16)
for row in range(900):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x[row, None].bfloat16()), y[row, None])
    loss.backward()
    optimizer.step()
    total = total + loss.detach()  #~ NUM123
print(float(total) > 0)
