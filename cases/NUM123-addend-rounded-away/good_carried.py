"""A sum in bfloat16 with what is rounded away carried over to the next addition."""

import torch
from torch import nn

torch.manual_seed(2)
torch.set_num_threads(1)
x = torch.randn(900, 8)
y = torch.randint(0, 4, (900,))
model = nn.Linear(8, 4).bfloat16()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total = torch.full((), 512, dtype=torch.bfloat16)
carried = torch.zeros(())
for row in range(900):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x[row, None].bfloat16()), y[row, None])
    loss.backward()
    optimizer.step()
    carried += loss.detach() / 50
    before = total.clone()
    total += carried
    carried -= total.float() - before.float()
print(float(total) > 0)
