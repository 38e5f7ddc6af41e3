"""A small convolutional network with batch normalization, a loader and a schedule: the ordinary image classifier."""

import torch
from _loop import measure
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def block(inside, outside):
    return nn.Sequential(nn.Conv2d(inside, outside, 3, padding=1), nn.BatchNorm2d(outside), nn.ReLU(inplace=True), nn.MaxPool2d(2))


model = nn.Sequential(block(3, 16), block(16, 32), block(32, 64), nn.Flatten(), nn.Dropout(0.2), nn.Linear(64 * 16, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=1_400)
data = TensorDataset(torch.randn(512, 3, 32, 32), torch.randint(0, 10, (512,)))


def batches():
    loader = DataLoader(data, batch_size=32, shuffle=True)
    while True:
        yield from loader


stream = batches()


def step(_number):
    images, labels = next(stream)
    optimizer.zero_grad(set_to_none=True)
    loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    schedule.step()
    return loss


measure(step, steps=1_400)
