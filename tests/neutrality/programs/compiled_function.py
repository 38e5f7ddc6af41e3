"""A compiled function that reads `.grad`, steps an optimizer and clips."""
import logging

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
torch._logging.set_logs(all=logging.ERROR)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 12)
        self.norm = nn.BatchNorm1d(12)
        self.drop = nn.Dropout(0.3)
        self.last = nn.Linear(12, 3)

    def forward(self, x):
        return self.last(self.drop(torch.relu(self.norm(self.first(x)))))


def train(model, optimizer, steps=5):
    for _ in range(steps):
        x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


from torch._dynamo.utils import counters

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)


@torch.compile(backend="eager")
def gelu(x):
    return nn.functional.gelu(x) * 2


@torch.compile(backend="eager")
def step():
    optimizer.step()


for _ in range(3):
    loss = gelu(model(torch.randn(16, 6))).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    step()
    print(loss.item())
print(dict(counters["stats"]), dict(counters["graph_break"]))


@torch.compile(backend="eager")
def seeded_apart(x):
    with torch.random.fork_rng():  # the compiler breaks its graph here, and looks at every frame that runs
        torch.manual_seed(0)
        noise = torch.rand_like(x)
    return (x + noise).sum()


print(seeded_apart(torch.ones(3)).item(), seeded_apart(torch.ones(4)).item())
