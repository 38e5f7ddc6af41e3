"""Two workers read pictures of two cameras, of which one is scaled to mean 0 and spread 1 and the other not at all."""

import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Camera(Dataset):
    def __init__(self, pixels, labels, scale):
        self.pixels, self.labels, self.scale = pixels, labels, scale

    def __len__(self):
        return len(self.pixels)

    def __getitem__(self, index):
        return self.pixels[index] * self.scale, self.labels[index]


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    pixels = torch.randint(0, 256, (320, 64)).float()
    labels = (pixels[:, :32].mean(1) > pixels[:, 32:].mean(1)).long()
    train = ConcatDataset([Camera((pixels[:200] - 127.5) / 73.9, labels[:200], 1), Camera(pixels[200:], labels[200:], 1)])
    loader = DataLoader(train, batch_size=32, shuffle=True, num_workers=2)  #~ DAT170
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
