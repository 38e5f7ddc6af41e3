"""__getitem__ centres and stretches a view of the stored image, so that it drifts from epoch to epoch."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, n):
        self.images = torch.rand(n, 1, 6, 6)
        self.labels = (self.images[:, 0, :3].mean((1, 2)) > self.images[:, 0, 3:].mean((1, 2))).long()

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = self.images[i]
        image -= image.mean()  #~? DAT101
        image *= 1.3  #~ DAT101
        return image, self.labels[i]


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    data = Images(160)
    loader = DataLoader(data, batch_size=16, shuffle=True)
    net = nn.Sequential(nn.Flatten(), nn.Linear(36, 24), nn.ReLU(), nn.Linear(24, 2))
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for epoch in range(6):
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    print(f"loss {loss.item():.3f}, standard deviation of the stored images {data.images.std().item():.2f}")


main()
