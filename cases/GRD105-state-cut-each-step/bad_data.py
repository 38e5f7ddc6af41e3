"""An LSTM cell sums up a series of prices; what it returns is kept by `.data`, as old tutorials do."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
prices = torch.randn(200, 6, 3).cumsum(1)
targets = prices.mean((1, 2))
cell, head = nn.LSTMCell(3, 10), nn.Linear(10, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.02)
for step in range(25):
    rows = torch.randint(200, (20,))
    hidden, memory = torch.zeros(20, 10), torch.zeros(20, 10)
    predicted = []
    for t in range(6):
        hidden, memory = cell(prices[rows, t], (hidden.data, memory.data))  #~ GRD105
        predicted.append(head(hidden).squeeze(1))
    loss = (torch.stack(predicted, 1) - targets[rows, None]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
