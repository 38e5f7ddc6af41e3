"""A recurrent cell goes on from the last of its states, all of which it keeps in a list of the model."""

import torch
from torch import nn


class Tracker(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.cell = nn.GRUCell(6, width)
        self.out = nn.Linear(width, 6)
        self.states = []

    def forward(self, x):
        before = self.states[-1] if self.states else torch.zeros(len(x), self.cell.hidden_size)
        state = self.cell(x, before)
        self.states.append(state.detach())  #~ HDW121
        return self.out(state)


class Runner:
    def __init__(self):
        self.model = Tracker(48)
        self.optimizer = torch.optim.RMSprop(self.model.parameters(), lr=1e-3)

    def run(self, series):
        total = torch.zeros(())
        for now, following in zip(series[:-1], series[1:]):
            loss = (self.model(now) - following).abs().mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.detach()
        return total.item() / (len(series) - 1)


torch.manual_seed(0)
torch.set_num_threads(1)
print(f"{Runner().run(torch.randn(180, 40, 6).cumsum(0) * 0.1):.3f}")
