"""Activities from windows of sensors: a GRU read at its last step, rare classes drawn more often, an average of the weights, buffers too."""

import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler


def windows(count, length=24):
    label = torch.multinomial(torch.tensor([0.7, 0.2, 0.1]), count, replacement=True)
    time = torch.arange(length)[None, :, None] / 6
    speed = torch.tensor([0.4, 1.1, 2.3])[label][:, None, None]
    phase = 6.28 * torch.rand(count, 1, 4)
    return torch.sin(6.28 * speed * time + phase) + 0.4 * torch.randn(count, length, 4), label


class Activity(nn.Module):
    def __init__(self, channels, hidden, classes, part=6):
        super().__init__()
        self.part = part
        self.place = nn.Embedding(4, 8)
        self.rnn = nn.GRU(channels + 8, hidden, batch_first=True)
        self.norm = nn.BatchNorm1d(hidden)
        self.head = nn.Linear(hidden, classes)

    def forward(self, x):
        step = torch.arange(x.shape[1], device=x.device)
        place = self.place(step // self.part).expand(len(x), -1, -1)
        out, _ = self.rnn(torch.cat([x, place], dim=2))
        return self.head(self.norm(out[:, -1]))


@torch.no_grad()
def follow(average, model, decay=0.9):
    for mine, theirs in zip(average.parameters(), model.parameters(), strict=True):
        mine.lerp_(theirs, 1 - decay)
    for mine, theirs in zip(average.buffers(), model.buffers(), strict=True):
        mine.copy_(theirs)


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


torch.manual_seed(0)
torch.set_num_threads(1)
x, y = windows(900)
x_test, y_test = windows(300)
weight = (1 / torch.bincount(y).float())[y]
loader = DataLoader(TensorDataset(x, y), batch_size=45, sampler=WeightedRandomSampler(weight, len(y)))
model = Activity(4, 32, 3)
average = copy.deepcopy(model)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    model.train()
    for window, label in loader:
        loss = nn.functional.cross_entropy(model(window), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        follow(average, model)
    print(f"epoch {epoch}  loss {loss.item():.3f}  model {accuracy(model, x_test, y_test):.3f}  average {accuracy(average, x_test, y_test):.3f}")
