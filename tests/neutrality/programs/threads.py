"""A second thread trains a model of its own."""
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


import threading

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
losses = {}


def work():
    generator = torch.Generator().manual_seed(7)
    mine = nn.Linear(4, 1)
    with torch.no_grad():
        mine.weight.fill_(0.1)
        mine.bias.zero_()
    sgd = torch.optim.SGD(mine.parameters(), lr=0.1)
    for _ in range(20):
        x = torch.randn(8, 4, generator=generator)
        loss = (mine(x) - x.sum(1, keepdim=True)).pow(2).mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()
    losses["thread"] = loss.item()


torch.manual_seed(1)
mine = nn.Linear(4, 1)
thread = threading.Thread(target=work)
state = torch.get_rng_state()
thread.start()
thread.join()
torch.set_rng_state(state)
print(losses, train(model, optimizer).item(), threading.active_count())
