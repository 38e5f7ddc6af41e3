"""A script that measures a part of its training data and the data that it has held back, both cut by hand."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(600, 10)
y = (x[:, 0] > 0).long()
x_train, y_train, x_val, y_val = x[:480], y[:480], x[480:], y[480:]
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


@torch.no_grad()
def accuracy(inputs, labels):
    return (model(inputs).argmax(1) == labels).float().mean().item()


for epoch in range(6):
    for rows in torch.randperm(480).split(40):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x_train[rows]), y_train[rows]).backward()
        optimizer.step()
    train_accuracy = accuracy(x_train[:120], y_train[:120])
    val_accuracy = accuracy(x_val, y_val)
    print(epoch, train_accuracy, val_accuracy, accuracy(x[:100], y[:100]))
