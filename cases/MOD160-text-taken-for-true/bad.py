"""A script that is told on its command line not to shuffle and not to use Nesterov's momentum, and does both."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, default=0.1)
parser.add_argument("--shuffle", type=bool, default=True)  #~ MOD160
parser.add_argument("--nesterov", type=bool, default="no")  #~ MOD160
options = parser.parse_args(["--rate", "0.05", "--shuffle", "False"])
x = torch.randn(128, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=32, shuffle=options.shuffle)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=options.rate, momentum=0.9, nesterov=options.nesterov)
for _ in range(3):
    for inputs, targets in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
