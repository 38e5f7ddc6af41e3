"""Accuracy on the training data each epoch, and on the test data once at the end."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@torch.no_grad()
def accuracy(model, loader):
    return sum((model(x).argmax(1) == y).sum().item() for x, y in loader) / len(loader.dataset)


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(500, 8)
y = (x[:, 0] > 0).long()
train_loader = DataLoader(TensorDataset(x[:400], y[:400]), batch_size=40, shuffle=True)
test_loader = DataLoader(TensorDataset(x[400:], y[400:]), batch_size=50)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for inputs, labels in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
    print(epoch, accuracy(model, train_loader))
print(accuracy(model, test_loader))
