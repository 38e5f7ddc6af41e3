"""Accuracy is summed up in one expression, over the training loader."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def evaluate(model, loader):
    with torch.no_grad():
        return sum((model(x).argmax(1) == y).sum().item() for x, y in loader) / len(loader.dataset)


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(500, 8)
y = (x[:, 0] > 0).long()
train_loader = DataLoader(TensorDataset(x[:400], y[:400]), batch_size=40, shuffle=True)
val_loader = DataLoader(TensorDataset(x[400:], y[400:]), batch_size=50)  #~? EVL122
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for inputs, labels in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
    print(epoch, evaluate(model, train_loader))  #~ EVL122
