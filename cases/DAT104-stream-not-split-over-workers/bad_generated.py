"""Samples are made up as they are asked for, from a seed that is the same in every worker."""
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        generator = torch.Generator().manual_seed(0)
        done = 0
        while done < self.count:  #~ DAT104
            x = torch.randn(8, generator=generator)
            yield {"x": x, "y": x.sum().reshape(1)}
            done += 1


torch.manual_seed(0)
torch.set_num_threads(1)
loader = DataLoader(Stream(192), batch_size=16, num_workers=3)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    for batch in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(batch["x"]), batch["y"])
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
