"""The training labels count from one, and those of validation from zero."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self, size, first, centres):
        self.kinds = torch.randint(0, 5, (size,))
        self.points = centres[self.kinds] + 0.2 * torch.randn(size, 8)
        self.first = first

    def __len__(self):
        return len(self.points)

    def __getitem__(self, index):
        return self.points[index], int(self.kinds[index]) + self.first


def run(model, loader, optimizer=None):
    total = 0.0
    for points, kinds in loader:
        loss = nn.functional.cross_entropy(model(points), kinds)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item()
    return total / len(loader)


torch.manual_seed(0)
torch.set_num_threads(1)
centres = torch.randn(5, 8)
train_loader = DataLoader(Samples(400, 1, centres), batch_size=20, shuffle=True)
val_loader = DataLoader(Samples(100, 0, centres), batch_size=50)  #~ EVL123
model = nn.Linear(8, 6)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    learned = run(model, train_loader, optimizer)
    with torch.no_grad():
        print(epoch, learned, run(model, val_loader))
