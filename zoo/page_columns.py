"""Find the column of text on a page: pages are NumPy arrays, mirrored together with the corners of their boxes."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(21)
torch.set_num_threads(1)


class Pages(Dataset):
    def __init__(self, count, seed, mirror=0.0, side=20):
        draws = np.random.default_rng(seed)
        self.draws, self.mirror, self.side = draws, mirror, side
        self.images, self.boxes = [], []
        for _ in range(count):
            width, height = draws.integers(4, 9, size=2)
            left, top = draws.integers(0, side - width), draws.integers(0, side - height)
            page = draws.integers(200, 256, size=(side, side), dtype=np.uint8)
            page[top : top + height : 2, left : left + width] //= 4
            self.images.append(page)
            self.boxes.append(np.array([left, top, left + width, top + height], dtype=np.float32))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        page, box = self.images[index], self.boxes[index].copy()
        if self.draws.random() < self.mirror:
            page = page[:, ::-1]
            box[[0, 2]] = self.side - box[[2, 0]]
        image = torch.from_numpy(page.astype(np.float32) / 255 - 0.8)
        return {"image": image.unsqueeze(0), "box": torch.from_numpy(box) / self.side}


train = DataLoader(Pages(300, seed=5, mirror=0.5), batch_size=25, shuffle=True)
held = DataLoader(Pages(75, seed=6), batch_size=25)
model = nn.Sequential(
    nn.Conv2d(1, 12, 3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(12, 12, 3, padding=1),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(1200, 32),
    nn.ReLU(),
    nn.Linear(32, 4),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
criterion = nn.SmoothL1Loss(beta=0.1)
for epoch in range(8):
    model.train()
    for batch in train:
        optimizer.zero_grad()
        loss = criterion(model(batch["image"]), batch["box"])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()

model.eval()
total = 0.0
with torch.inference_mode():
    for batch in held:
        total += (model(batch["image"]) - batch["box"]).abs().mean(1).sum().item()
print(f"off by {20 * total / 75:.2f} pixels")
