"""A regression whose targets are permuted once more, after the batch has gone through the model."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
inputs = torch.randn(512, 8)
wanted = inputs[:, :1] - inputs[:, 1:2]
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(40):
    rows = torch.randint(0, len(inputs), (64,))
    prediction = model(inputs[rows])
    target = wanted[rows]
    order = torch.randperm(len(target))
    loss = F.mse_loss(prediction, target[order])  #~ DAT150
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
