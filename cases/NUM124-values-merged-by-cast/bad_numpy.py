"""Event ids that count up from three billion are made single by NumPy, and their differences are a feature."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(2)
torch.set_num_threads(1)


class Events(Dataset):
    def __init__(self, numbers, labels):
        self.numbers = torch.from_numpy(np.asarray(numbers, dtype=np.float32))  #~ NUM124
        self.labels = labels

    def __len__(self):
        return len(self.labels) - 1

    def __getitem__(self, index):
        waited = self.numbers[index + 1] - self.numbers[index]
        return waited.reshape(1) / 100, self.labels[index]


generator = np.random.default_rng(2)
numbers = 3_000_000_000 + np.cumsum(generator.integers(1, 100, 500))
labels = torch.tensor(np.diff(numbers, prepend=numbers[0]) / 100).float()
loader = DataLoader(Events(numbers, labels), batch_size=25, shuffle=True)
model = nn.Linear(1, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(2):
    for waited, label in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(waited)[:, 0], label).backward()
        optimizer.step()
