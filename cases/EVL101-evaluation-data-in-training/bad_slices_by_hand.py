"""A script that trains on random batches of all its data, cut by hand, and validates on a part of them."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(600, 10)
y = torch.randint(0, 2, (600,))
x_val, y_val = x[480:], y[480:]
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def evaluate(inputs, labels):
    model.eval()
    right = 0
    with torch.no_grad():
        for begin in range(0, len(inputs), 40):
            right += (model(inputs[begin : begin + 40]).argmax(1) == labels[begin : begin + 40]).sum().item()  #~ EVL101
    model.train()
    return right / len(inputs)


for epoch in range(6):
    for rows in torch.randperm(len(x)).split(40):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        optimizer.step()
    print(epoch, evaluate(x_val, y_val))
