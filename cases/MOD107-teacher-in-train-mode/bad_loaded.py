"""Features of a loaded backbone with batch normalisation, under no_grad but in train mode, for a small head."""
import io

import torch
from torch import nn
import torch.nn.functional as F


def build():
    return nn.Sequential(nn.Conv2d(1, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.AdaptiveAvgPool2d(3), nn.Flatten())


torch.manual_seed(0)
torch.set_num_threads(1)
file = io.BytesIO()
torch.save(build().state_dict(), file)
file.seek(0)
backbone = build()
backbone.load_state_dict(torch.load(file))
head = nn.Sequential(nn.Linear(54, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.SGD(head.parameters(), lr=0.05, momentum=0.9)
images = torch.randn(192, 1, 8, 8)
labels = (images.mean((1, 2, 3)) > 0).long()
for epoch in range(4):
    for idx in torch.randperm(192).split(24):
        with torch.no_grad():
            features = backbone(images[idx])  #~ MOD107
        loss = F.cross_entropy(head(features), labels[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
