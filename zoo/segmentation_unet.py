"""Train a small U-Net to segment discs, ignoring the uncertain pixels at their borders."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

IGNORE = 255
torch.manual_seed(77)
torch.set_num_threads(1)


def make_scenes(count, size=16):
    rows, columns = torch.arange(float(size)).view(1, -1, 1), torch.arange(float(size)).view(1, 1, -1)
    centre = 3 + (size - 6) * torch.rand(count, 2, 1, 1)
    radius = 2.5 + 2 * torch.rand(count, 1, 1)
    distance = ((rows - centre[:, 0]) ** 2 + (columns - centre[:, 1]) ** 2).sqrt() - radius
    bright = torch.rand(count, 1, 1) < 0.5
    target = torch.where(distance < 0, torch.where(bright, 2, 1), 0)
    image = torch.where(distance < 0, torch.where(bright, 1.5, -1.5), 0.0) + 0.6 * torch.randn(count, size, size)
    target = torch.where(distance.abs() < 0.4, IGNORE, target)
    return image.unsqueeze(1), target


def double_conv(in_channels, out_channels):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, 3, padding=1), nn.GroupNorm(4, out_channels), nn.ReLU(inplace=True),
        nn.Conv2d(out_channels, out_channels, 3, padding=1), nn.GroupNorm(4, out_channels), nn.ReLU(inplace=True),
    )  # fmt: skip


class UNet(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.down1 = double_conv(1, 8)
        self.down2 = double_conv(8, 16)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.merge = double_conv(16, 8)
        self.final = nn.Conv2d(8, classes, 1)

    def forward(self, x):
        skip = self.down1(x)
        x = self.down2(F.max_pool2d(skip, 2))
        x = torch.cat([self.up(x), skip], dim=1)
        return self.final(self.merge(x))


def pixel_accuracy(net, loader):
    net.eval()
    correct = count = 0
    with torch.no_grad():
        for image, target in loader:
            known = target != IGNORE
            correct += (net(image).argmax(1)[known] == target[known]).sum().item()
            count += known.sum().item()
    net.train()
    return correct / count


train_loader = DataLoader(TensorDataset(*make_scenes(384)), batch_size=24, shuffle=True)
valid_loader = DataLoader(TensorDataset(*make_scenes(96)), batch_size=96)
net = UNet()
criterion = nn.CrossEntropyLoss(weight=torch.tensor([0.5, 1.0, 1.0]), ignore_index=IGNORE)
optimizer = torch.optim.RMSprop(net.parameters(), lr=2e-3, momentum=0.5)

print(f"pixel accuracy before training {pixel_accuracy(net, valid_loader):.3f}")
for epoch in range(5):
    epoch_loss = 0.0
    for image, target in train_loader:
        loss = criterion(net(image), target)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_value_(net.parameters(), 1.0)
        optimizer.step()
        epoch_loss += loss.item()
    accuracy = pixel_accuracy(net, valid_loader)
    print(f"epoch {epoch + 1} loss {epoch_loss / len(train_loader):.4f} accuracy {accuracy:.3f}")
