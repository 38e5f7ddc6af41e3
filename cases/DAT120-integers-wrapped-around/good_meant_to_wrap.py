"""A dataset takes absolute differences, circular shifts of hue and checksums of 8-bit values: what wraps there is meant to."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, left, right, labels):
        self.left, self.right, self.labels = left, right, labels

    def __len__(self):
        return len(self.left)

    def __getitem__(self, index):
        a, b = self.left[index], self.right[index]
        distance = np.where(a > b, a - b, b - a)
        hue = (a + 90) % 180
        key = (a * 31 + b) & 0xFF
        changed = (a - b) != 0
        features = np.concatenate([distance.ravel(), hue.ravel(), key.ravel(), changed.ravel()])
        return torch.from_numpy(features.astype(np.float32) / 255), self.labels[index]


torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(0)
left, right = rng.integers(0, 180, (2, 256, 4, 4)).astype(np.uint8)
labels = torch.from_numpy((left.astype(int) - right).mean((1, 2)) > 0).float()
loader = DataLoader(Pairs(left, right, labels), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
