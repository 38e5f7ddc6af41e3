"""Two tasks of two classes each are learned one after the other, and each is evaluated after both."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
centres = torch.randn(4, 8)


def task(labels, size):
    y = torch.tensor(labels).repeat(size)
    return TensorDataset(centres[y] + 0.3 * torch.randn(len(y), 8), y)


model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
tests = [DataLoader(task([0, 1], 20), batch_size=40), DataLoader(task([2, 3], 20), batch_size=40)]
for number, labels in enumerate(([0, 1], [2, 3])):
    train_loader = DataLoader(task(labels, 120), batch_size=20, shuffle=True)
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()
    with torch.no_grad():
        for test in tests:
            print(number, sum((model(a).argmax(1) == b).sum().item() for a, b in test) / 40)
