"""A module and a function, scripted."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


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



@torch.jit.script
def scaled(x: torch.Tensor, times: int):
    for _ in range(times):
        x = torch.relu(x) * 2
    return x


model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
train(model, optimizer)
scripted = torch.jit.script(model.eval())
print(scripted.code)
print(scaled(torch.ones(2), 3), torch.equal(scripted(torch.ones(4, 6)), model(torch.ones(4, 6))))
train(scripted.train(), torch.optim.SGD(scripted.parameters(), lr=0.1))
print(sum(p.sum() for p in scripted.parameters()).item())
