"""A convolutional net in mixed precision (bf16) with a cosine schedule."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
accelerator = Accelerator(cpu=True, mixed_precision="bf16")
y = torch.arange(192) % 4
x = torch.randn(192, 1, 8, 8) * 0.3
for row, label in enumerate(y.tolist()):
    x[row, :, label * 2 : label * 2 + 2] += 1.0
loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
model = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.2), nn.Linear(128, 4)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
scheduler = accelerator.prepare(torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4 * len(loader)))
for epoch in range(4):
    for inputs, targets in loader:
        optimizer.zero_grad()
        with accelerator.autocast():
            logits = model(inputs)
        loss = nn.functional.cross_entropy(logits, targets)
        accelerator.backward(loss)
        optimizer.step()
        scheduler.step()
    print(epoch, round(loss.item(), 6), round(scheduler.get_last_lr()[0], 6))
