"""Options with `type=bool` that are given "True" and nothing at all, a function that reads the text, and texts that are no switches."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def switch(text):
    return text.lower() not in ("false", "no", "0")


torch.manual_seed(0)
torch.set_num_threads(1)
parser = argparse.ArgumentParser()
parser.add_argument("--shuffle", type=bool, default=False)
parser.add_argument("--nesterov", type=bool, default=True)
parser.add_argument("--drop-last", type=switch, default=True)
parser.add_argument("--answer", choices=["yes", "no"], default="no")
options = parser.parse_args(["--shuffle", "True", "--nesterov", "", "--drop-last", "False"])
x = torch.randn(128, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=32, shuffle=options.shuffle, drop_last=options.drop_last)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=options.nesterov)
loss = nn.MSELoss(reduction="none")
for _ in range(3):
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss(model(inputs), targets).mean().backward()
        optimizer.step()
print(options.answer)
