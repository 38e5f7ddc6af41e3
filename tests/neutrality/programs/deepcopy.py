"""Deep copies of a model and of an optimizer, trained on."""
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


import copy

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
train(model, optimizer)
twin, other = copy.deepcopy(model), copy.deepcopy(optimizer)
train(twin, torch.optim.SGD(twin.parameters(), lr=0.1))
other.step()
print(twin.first.weight.sum().item(), model.first.weight.sum().item())
print(sorted(other.state_dict()["state"]), sorted(vars(other)) == sorted(vars(optimizer)))
