"""A recurrent layer goes on from its last state, which is no part of what it has learned."""

import io

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 8)
        self.head = nn.Linear(8, 1)
        self.hidden = torch.zeros(16, 8)
        self.positions = torch.zeros(1)

    def forward(self, x):
        if len(self.positions) != len(x):
            self.positions = torch.linspace(0, 1, len(x))
        self.hidden = self.cell(x + self.positions[:, None], self.hidden.detach())
        return self.head(self.hidden)


torch.manual_seed(0)
torch.set_num_threads(1)
model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(30):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
file = io.BytesIO()
torch.save(model.state_dict(), file)
print(f"loss {loss.item():.3f}")
