"""Readings of a pump, each divided by its own length in a data set of the program's own."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pump(Dataset):
    def __init__(self, count):
        unit = torch.randn(count, 5, generator=torch.Generator().manual_seed(1))
        scale, level = torch.tensor([4.0, 120.0, 0.3, 1.0, 900.0]), torch.tensor([20.0, 1500.0, 1.0, 3.0, 8000.0])
        self.readings = level + scale * unit
        self.wear = unit[:, 0] - unit[:, 2]

    def __len__(self):
        return len(self.readings)

    def __getitem__(self, index):
        row = self.readings[index]
        row = row / row.norm()  #~ DAT127
        return row, self.wear[index]


torch.manual_seed(0)
torch.set_num_threads(1)
loader = DataLoader(Pump(200), batch_size=25, shuffle=True)
model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(2):
    for x, y in loader:
        loss = (model(x).squeeze(1) - y).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
