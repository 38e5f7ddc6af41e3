"""Readings of a road network are summed per junction by `+=`, where most junctions have several roads."""
import torch
from torch import nn


class RoadsToJunctions(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.message = nn.Linear(2, width)
        self.head = nn.Linear(width, 1)

    def forward(self, roads, ends, num_junctions):
        messages = torch.tanh(self.message(roads))
        inflow = torch.zeros(num_junctions, messages.shape[1])
        inflow[ends] += messages  #~ SHP123
        return self.head(inflow).squeeze(1)


torch.manual_seed(0)
torch.set_num_threads(1)
ends = torch.randint(0, 40, (160,))
model = RoadsToJunctions(12)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for day in range(25):
    roads = torch.randn(160, 2)
    queue = torch.zeros(40).index_add(0, ends, roads[:, 0])
    loss = nn.functional.mse_loss(model(roads, ends, 40), queue)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
