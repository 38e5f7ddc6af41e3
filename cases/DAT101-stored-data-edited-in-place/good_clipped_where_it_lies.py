"""What comes from a cache is cut to its range in place: the second time nothing is left to cut. Batches are edited after they were made."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Readings(Dataset):
    def __init__(self, count):
        self.count = count
        self.held = {}

    def __len__(self):
        return self.count

    def reading(self, number):
        if number not in self.held:
            self.held[number] = 2 * torch.randn(10)
        return self.held[number]

    def __getitem__(self, number):
        reading = self.reading(number)
        reading.clamp_(-1, 1)
        return reading


torch.manual_seed(0)
torch.set_num_threads(1)
loader = DataLoader(Readings(150), batch_size=15, shuffle=True)
model = nn.Linear(9, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    for batch in loader:
        batch += 0.1 * torch.randn(batch.shape)
        loss = nn.functional.mse_loss(model(batch[:, :-1]), batch[:, -1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
