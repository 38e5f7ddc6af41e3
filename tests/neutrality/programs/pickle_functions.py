"""Functions, pickled by reference and called again."""
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


import functools
import pickle

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for function in (nn.utils.clip_grad_norm_, nn.utils.clip_grad_value_, torch.save, torch.load, torch.autograd.backward, torch.compile, nn.functional.relu):
    data = pickle.dumps(function)
    print(data)
    print(pickle.loads(data) is function)
clip = pickle.loads(pickle.dumps(functools.partial(nn.utils.clip_grad_norm_, max_norm=0.1)))
train(model, optimizer)
print(clip(model.parameters()).item(), clip.func.__name__, clip(model.parameters(), norm_type=float("inf")).item())
