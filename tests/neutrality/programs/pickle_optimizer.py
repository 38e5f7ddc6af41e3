"""An optimizer and a schedule, pickled: the same bytes."""
import hashlib


def sha(data):
    return hashlib.sha256(data).hexdigest()[:16]


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
import pickle
import pickletools

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
train(model, optimizer)
schedule.step()
def opcodes(thing):
    return sha(repr([opcode.name for opcode, _, _ in pickletools.genops(pickle.dumps(thing))]).encode())


print(opcodes(optimizer.__getstate__()), opcodes(optimizer), sha(pickle.dumps(schedule.state_dict())))
print(sorted(optimizer.__getstate__()), copy.copy(optimizer).param_groups[0]["lr"])
