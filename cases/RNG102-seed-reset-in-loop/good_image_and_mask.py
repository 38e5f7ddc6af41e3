"""A dataset draws a seed for each item and sets it twice, so that image and mask are shifted alike; each epoch has its own seed."""
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def shift(image):
    return image.roll(random.randint(-2, 2), -1)


class Pairs(Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        seed = np.random.randint(2**31)
        random.seed(seed)
        image = shift(self.images[index])
        random.seed(seed)
        mask = shift((self.images[index] > 0).float())
        return image, mask


torch.manual_seed(0)
torch.set_num_threads(1)
loader = DataLoader(Pairs(torch.randn(256, 1, 8, 8)), batch_size=32, shuffle=True)
model = nn.Conv2d(1, 1, 3, padding=1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    np.random.seed(1000 + epoch)
    for image, mask in loader:
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(image), mask)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
