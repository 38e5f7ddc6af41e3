"""A dataset draws the same table of noise, and of pixels to swap, for each item, and takes the item's own row of the one."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, values, targets, seed=0):
        self.values, self.targets, self.seed = values, targets, seed

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        rng = np.random.default_rng(self.seed)
        table = rng.normal(0, 0.3, size=(len(self), 8)).astype(np.float32)
        order = np.random.RandomState(7).permutation(8)
        return self.values[index, order] + torch.from_numpy(table[index]), self.targets[index]


torch.manual_seed(0)
torch.set_num_threads(1)
values = torch.randn(256, 8)
targets = values.sum(1, keepdim=True)
loader = DataLoader(Noisy(values, targets), batch_size=16, shuffle=True)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
