"""The generator is used in __init__ alone, to split the data; the workers never draw from it."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Half(Dataset):
    def __init__(self, x, y, train, seed=4):
        self.rng = np.random.default_rng(seed)
        order = self.rng.permutation(len(x))
        cut = int(0.75 * len(x))
        keep = order[:cut] if train else order[cut:]
        self.x, self.y = x[keep], y[keep]

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(240, 6)
    y = (x[:, 0] + x[:, 1] > 0).long()
    train = DataLoader(Half(x, y, True), batch_size=18, shuffle=True, num_workers=2)
    held_out = Half(x, y, False)
    net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    for epoch in range(2):
        for a, b in train:
            opt.zero_grad()
            nn.functional.cross_entropy(net(a), b).backward()
            opt.step()
    with torch.no_grad():
        print(f"accuracy {(net(held_out.x).argmax(1) == held_out.y).float().mean().item():.3f}")
