"""Find two ships in each radar image: the training loop turns whole batches upside down, with their boxes, before they are learned."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(8)
torch.set_num_threads(1)
SIDE = 20
COUNT = 280


def radar_images(count):
    """Images with one ship in each half, and boxes in shares of the side: first corner, opposite corner."""
    sizes = torch.randint(3, 6, (count, 2, 2))
    starts = (torch.rand(count, 2, 2) * (torch.tensor([SIDE, SIDE // 2]) - sizes)).long()
    starts[:, 1, 1] += SIDE // 2
    boxes = torch.cat([starts, starts + sizes], 2)
    images = 0.2 * torch.randn(count, 1, SIDE, SIDE).abs()
    for image, both in zip(images, boxes.tolist(), strict=True):
        for left, top, right, bottom in both:
            image[0, top:bottom, left:right] += 1
    return images, boxes.float() / SIDE


def turn(images, boxes):
    """Turns images upside down: first and second ship change places too."""
    left, top, right, bottom = boxes.flip(1).unbind(2)
    return images.flip(2), torch.stack([left, 1 - bottom, right, 1 - top], 2)


class Finder(nn.Module):
    def __init__(self):
        super().__init__()
        self.look = nn.Sequential(nn.Conv2d(1, 12, 5, stride=2), nn.GELU(), nn.Conv2d(12, 12, 3, stride=2), nn.GELU(), nn.Flatten())
        self.point = nn.Sequential(nn.Linear(12 * 9, 48), nn.GELU(), nn.Linear(48, 8))

    def forward(self, images):
        return self.point(self.look(images)).view(-1, 2, 4)


images, boxes = radar_images(COUNT)
train = DataLoader(TensorDataset(images[:240], boxes[:240]), batch_size=16, shuffle=True, drop_last=True)
model = Finder()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
for epoch in range(10):
    for batch, wanted in train:
        if torch.rand(()) < 0.5:
            batch, wanted = turn(batch, wanted)
        loss = nn.functional.l1_loss(model(batch), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    scheduler.step()

model.eval()
with torch.no_grad():
    off = (model(images[240:]) - boxes[240:]).abs().mean() * SIDE
print(f"corners are {off:.2f} pixels off")
