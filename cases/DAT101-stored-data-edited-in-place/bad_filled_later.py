"""Recordings of NumPy are put into a list at their first use, and each later use adds noise to the very array in it."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Recordings(Dataset):
    def __init__(self, count):
        self.rng = np.random.default_rng(0)
        self.labels = self.rng.integers(0, 2, count)
        self.loaded = [None] * count

    def __len__(self):
        return len(self.labels)

    def load(self, index):
        if self.loaded[index] is None:
            self.loaded[index] = self.rng.normal(self.labels[index], 1, 20).astype(np.float32)
        return self.loaded[index]

    def disturb(self, recording):
        recording += self.rng.normal(0, 0.5, recording.shape).astype(np.float32)  #~ DAT101
        return recording

    def __getitem__(self, index):
        return torch.from_numpy(self.disturb(self.load(index))), float(self.labels[index])


torch.manual_seed(0)
torch.set_num_threads(1)
loader = DataLoader(Recordings(128), batch_size=16, shuffle=True)
model = nn.Linear(20, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    for x, y in loader:
        loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
