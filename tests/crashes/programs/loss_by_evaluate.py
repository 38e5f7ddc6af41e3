#~ crash: GRD203
#~ edit: soft
#~ edit: cross_entropy
#~ edit: without
#~ edit: no_grad
import torch
from torch import nn


@torch.no_grad()  #~ maker
def evaluate(model, x, y):
    return nn.functional.cross_entropy(model(x), y)


torch.manual_seed(0)
model = nn.Linear(6, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    x, y = torch.randn(32, 6), torch.randint(0, 3, (32,))
    loss = evaluate(model, x, y)
    optimizer.zero_grad()
    loss.backward()  #~ fails
    optimizer.step()
print("ok")
