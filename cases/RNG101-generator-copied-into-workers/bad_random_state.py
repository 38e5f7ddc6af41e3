"""A module-level RandomState is copied by fork into both workers, which crop all images alike."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

ROLL = np.random.RandomState(11)  #~ RNG101


class Crops(Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        top, left = ROLL.randint(0, 5, size=2)
        return self.images[i, :, top : top + 6, left : left + 6], torch.tensor([top, left])


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    loader = DataLoader(Crops(torch.rand(128, 1, 10, 10)), batch_size=8, shuffle=True, num_workers=2)  #~? RNG101
    net = nn.Sequential(nn.Flatten(), nn.Linear(36, 12), nn.ReLU(), nn.Linear(12, 36))
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    corners = []
    for epoch in range(2):
        for crop, corner in loader:
            loss = nn.functional.mse_loss(net(crop), crop.flatten(1))
            opt.zero_grad()
            loss.backward()
            opt.step()
            corners.append(corner)
    same = sum(torch.equal(a, b) for a, b in zip(corners[::2], corners[1::2]))
    print(f"loss {loss.item():.4f}, {same} of {len(corners) // 2} pairs of batches were cropped alike")
