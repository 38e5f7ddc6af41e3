"""Each output is multiplied by a weight whose logarithm has run to minus infinity: the whole gradient goes through that one operation."""

import torch

torch.manual_seed(7)
torch.set_num_threads(1)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(40):
    x = torch.randn(8, 4)
    scale = torch.log(torch.tensor(19.0 - step)) if 15 < step < 20 else torch.tensor(1.0)
    loss = (model(x) * scale).pow(2).mean()  #~ NUM101
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
