"""A transform of the pictures alone mirrors them; boxes are kept as middle and size, in shares of the picture."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)
draws = np.random.default_rng(0)


class Mirror:
    def __call__(self, image):
        return np.ascontiguousarray(image[:, ::-1]) if draws.random() < 0.5 else image  #~ DAT134


class Ships(Dataset):
    def __init__(self, count, transform=None, side=20):
        self.transform = transform
        self.images, self.boxes = [], []
        for _ in range(count):
            width, height = draws.integers(3, 8, size=2)
            left, top = draws.integers(0, side - width), draws.integers(0, side - height)
            image = draws.normal(0, 0.2, size=(side, side, 3)).astype(np.float32)
            image[top : top + height, left : left + width] += 1
            self.images.append(image)
            self.boxes.append(np.array([left + width / 2, top + height / 2, width, height], dtype=np.float32) / side)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, number):
        image = self.images[number]
        if self.transform is not None:
            image = self.transform(image)
        return {"image": torch.from_numpy(image).permute(2, 0, 1), "box": torch.from_numpy(self.boxes[number])}


model = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(648, 4), nn.Sigmoid())
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.MSELoss()
for epoch in range(3):
    for batch in DataLoader(Ships(160, transform=Mirror()), batch_size=16, shuffle=True):
        loss = criterion(model(batch["image"]), batch["box"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
