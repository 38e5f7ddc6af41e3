"""A dataset scales in a function of its own what was scaled when it was stored."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, count):
        rng = np.random.default_rng(0)
        self.pictures = (rng.integers(0, 256, (count, 64)) / 255).astype(np.float32)
        self.labels = (self.pictures[:, :32].sum(1) > self.pictures[:, 32:].sum(1)).astype(np.int64)

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, index):
        picture = torch.from_numpy(self.pictures[index])
        return picture.div(255), self.labels[index]  #~ DAT110


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    loader = DataLoader(Pictures(256), batch_size=32, shuffle=True)
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.4f}")


main()
