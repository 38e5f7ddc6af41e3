"""A closure keeps a random.Random for the augmentation, and each worker repeats the other's flips and shifts."""
import random
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def make_transform():
    dice = random.Random(5)  #~ RNG101

    def transform(signal):
        shift = dice.randrange(16)
        gain = dice.uniform(0.5, 1.5)
        return gain * signal.roll(shift), gain

    return transform


class Signals(Dataset):
    def __init__(self, n, transform):
        self.clean = torch.sin(torch.linspace(0, 12, 16) * torch.linspace(0.5, 1.5, n)[:, None])
        self.transform = transform

    def __len__(self):
        return len(self.clean)

    def __getitem__(self, i):
        return self.transform(self.clean[i])


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    loader = DataLoader(Signals(120, make_transform()), batch_size=10, shuffle=True, num_workers=2)  #~? RNG101
    net = nn.Sequential(nn.Linear(16, 4), nn.Tanh(), nn.Linear(4, 16))
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    gains = []
    for epoch in range(2):
        for signal, gain in loader:
            loss = nn.functional.mse_loss(net(signal), signal)
            opt.zero_grad()
            loss.backward()
            opt.step()
            gains += gain.tolist()
    print(f"loss {loss.item():.3f}, {len(set(gains))} different gains of {len(gains)}")
