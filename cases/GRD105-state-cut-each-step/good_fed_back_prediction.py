"""A decoder is fed its own predictions, which are detached; its state is not."""

import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.GRU(1, 16, batch_first=True)
        self.decoder = nn.GRUCell(1, 16)
        self.head = nn.Linear(16, 1)

    def forward(self, past, steps):
        _, state = self.encoder(past)
        state, value, told = state[0], past[:, -1], []
        for _ in range(steps):
            state = self.decoder(value.detach(), state)
            value = self.head(state)
            told.append(value)
        return torch.cat(told, 1)


torch.manual_seed(0)
torch.set_num_threads(1)
waves = torch.sin(torch.rand(96, 1) * 6 + torch.arange(16) * 0.4)
model = Forecaster()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(20):
    rows = torch.randint(96, (24,))
    loss = nn.functional.l1_loss(model(waves[rows, :10, None], 6), waves[rows, 10:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
