"""Each step is given a closure that computes the gradients, as trainers of libraries do; one sample lies at the origin."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(4, 3, bias=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
points = torch.randn(20, 16, 4)
points[6, 3] = 0.0
for batch in points:

    def closure():
        optimizer.zero_grad()
        distance = torch.sqrt(model(batch).pow(2).sum(1))  #~ NUM101
        loss = (distance - batch.norm(dim=1)).pow(2).mean()
        loss.backward()
        return loss

    optimizer.step(closure)
