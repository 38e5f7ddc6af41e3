"""Washed gradients, hooks on tensors, a running value that is saved nowhere, old copies that are loaded, and a metric that is kept by an object."""

import copy
import io

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Centred(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(4)
        self.shift = torch.zeros(4)
        self.body = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))

    def forward(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x.detach().mean(0)
        return self.body(self.moved(x) - self.mean)

    def moved(self, x):
        self.shift.mul_(0.5).add_(0.1)
        return x + self.shift


class Mean:
    def __init__(self):
        self.reset()

    def reset(self):
        self.total, self.count = 0.0, 0

    def update(self, value):
        self.total += value
        self.count += 1

    def compute(self):
        return self.total / self.count


def double(gradient):
    return gradient * 2


x = torch.randn(96, 4)
y = x[:, :2].argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)
model = Centred()
target = copy.deepcopy(model)
weights = copy.deepcopy(model.state_dict())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
average = Mean()
for epoch in range(4):
    for inputs, labels in loader:
        output = model(inputs)
        output.detach().requires_grad_().register_hook(double)
        distance = (output - target(inputs).detach()).pow(2).sum(1).mul(0.0).sqrt()
        loss = nn.functional.cross_entropy(output, labels) + distance.mean()
        optimizer.zero_grad()
        loss.backward()
        for parameter in model.parameters():
            parameter.grad = torch.nan_to_num(parameter.grad) + 1e-3
        optimizer.step()
        average.update(loss.item())
    target.load_state_dict(weights)
    torch.save({"model": model.state_dict()}, io.BytesIO())
    print(epoch, average.compute())
