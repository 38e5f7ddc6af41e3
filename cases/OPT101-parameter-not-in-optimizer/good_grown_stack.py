"""A stack is grown by copies of its trained layer, and only those and the head learn on: what was trained before stays on purpose."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(120, 16)
y = x[:, :4].pow(2).sum(1)


def train(model, parameters, epochs):
    optimizer = torch.optim.Adam(parameters, lr=2e-3)
    for _ in range(epochs):
        for rows in torch.randperm(120).split(24):
            loss = nn.functional.mse_loss(model(x[rows]).squeeze(1), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return loss


block = nn.Sequential(nn.Linear(16, 16), nn.Tanh())
head = nn.Linear(16, 1)
train(nn.Sequential(block, head), [*block.parameters(), *head.parameters()], 3)
grown = nn.ModuleList([copy.deepcopy(block), copy.deepcopy(block)])
taller = nn.Sequential(block, *grown, head)
for parameter in block.parameters():
    parameter.requires_grad_(False)
loss = train(taller, [*grown.parameters(), *head.parameters()], 3)
print(f"loss {loss.item():.3f}")
