"""A workspace of fixed length is filled from an offset that is a setting, and states of a cache are written at a position of its own."""

import torch
from torch import nn


class Padded(nn.Module):
    def __init__(self, offset=2):
        super().__init__()
        self.offset = offset
        self.register_buffer("space", torch.zeros(12, 6))
        self.register_buffer("kept", torch.zeros(40, 4))
        self.register_buffer("at", torch.zeros(1, dtype=torch.long))
        self.out = nn.Linear(72, 4)

    def advance(self, counter, by):
        counter.add_(by).remainder_(40)

    def forward(self, x):
        start = self.offset
        self.space[start : start + len(x)] = x
        answer = self.out(self.space.clone().flatten())
        at = int(self.at)
        self.kept[at : at + 1] = answer.detach()
        self.advance(self.at, 1)
        return answer, self.kept.mean(0)


torch.manual_seed(0)
torch.set_num_threads(1)
model = Padded()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(30):
    x = torch.randn(8, 6)
    answer, mean = model(x)
    loss = (answer - x.mean()).square().mean() + 0.1 * (answer - mean).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
