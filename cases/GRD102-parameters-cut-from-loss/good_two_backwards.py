"""Two heads and two losses, each with a backward of its own."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(10, 32), nn.ReLU())
        self.classes = nn.Linear(32, 3)
        self.box = nn.Linear(32, 4)

    def forward(self, x):
        features = self.body(x)
        return self.classes(features), self.box(features)


detector = Detector()
optimizer = torch.optim.Adam(detector.parameters(), lr=1e-3)
for step in range(40):
    x = torch.randn(32, 10)
    target_class, target_box = x[:, :3].argmax(1), 2 * x[:, :4]
    logits, box = detector(x)
    loss_class = F.cross_entropy(logits, target_class)
    loss_box = F.smooth_l1_loss(box, target_box)
    optimizer.zero_grad()
    loss_class.backward(retain_graph=True)
    loss_box.backward()
    optimizer.step()
print(f"loss {loss_class.item() + loss_box.item():.3f}")
