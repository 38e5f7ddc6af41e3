"""Each evaluation is the average over four random views of the validation data, which shares the transform on purpose."""

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
val_loader = DataLoader(val, batch_size=20)
model = nn.Sequential(nn.Flatten(), nn.Linear(36, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for x, y in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    with torch.no_grad():
        views = torch.stack([torch.cat([model(x).softmax(1) for x, _ in val_loader]) for _ in range(4)]).mean(0)
        wanted = torch.cat([y for _, y in val_loader])
        print(epoch, (views.argmax(1) == wanted).float().mean().item())
