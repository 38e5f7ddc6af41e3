"""One dataset with random noise and erasing in its transform, split into training and validation by `random_split`."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split


class Icons(Dataset):
    def __init__(self, size, transform):
        self.labels = torch.randint(0, 3, (size,))
        self.images = torch.rand(3, 1, 6, 6).round()[self.labels] + 0.1 * torch.randn(size, 1, 6, 6)
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.transform(self.images[index]), self.labels[index]


def augment(image):
    image = image + 0.3 * torch.randn_like(image)
    image[:, int(torch.randint(0, 6, ()))] = 0
    return image


torch.manual_seed(0)
torch.set_num_threads(1)
train, val = random_split(Icons(160, augment), [120, 40])
train_loader = DataLoader(train, batch_size=20, shuffle=True)
val_loader = DataLoader(val, batch_size=20)  #~ EVL125
model = nn.Sequential(nn.Flatten(), nn.Linear(36, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for x, y in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    with torch.no_grad():
        print(epoch, sum((model(x).argmax(1) == y).sum().item() for x, y in val_loader) / len(val))
