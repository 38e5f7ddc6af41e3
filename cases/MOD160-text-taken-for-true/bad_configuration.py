"""Switches that are read from the environment and from a file of settings, and handed on as the texts that they are."""

import configparser
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
settings = configparser.ConfigParser()
settings.read_string("[optimizer]\nrate = 0.01\namsgrad = off\n")
x = torch.randn(128, 4)
shuffle = os.environ.get("EXAMPLE_SHUFFLE", "false")
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=32, shuffle=shuffle)  #~ MOD160
model = nn.Linear(4, 1)
amsgrad = settings["optimizer"]["amsgrad"]
optimizer = torch.optim.Adam(model.parameters(), lr=settings.getfloat("optimizer", "rate"), amsgrad=amsgrad)  #~ MOD160
for _ in range(3):
    for inputs, targets in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
