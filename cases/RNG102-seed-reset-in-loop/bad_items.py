"""A dataset seeds Python's generator for each item, so that every image is flipped and shifted in the same way."""
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Augmented(Dataset):
    def __init__(self, images, labels):
        self.images, self.labels = images, labels

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        random.seed(7)  #~ RNG102
        image = self.images[index]
        if random.random() < 0.5:
            image = image.flip(-1)
        return image.roll(random.randint(-1, 1), -1), self.labels[index]


torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randn(512, 1, 8, 8)
labels = (images.mean((1, 2, 3)) > 0).long()
loader = DataLoader(Augmented(images, labels), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for image, label in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(image), label)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
