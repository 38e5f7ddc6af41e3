"""Two heads; the second loss is logged from the start and trained on once the first phase is over."""

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
for step in range(60):
    x = torch.randn(32, 10)
    logits, box = detector(x)
    loss_class = F.cross_entropy(logits, x[:, :3].argmax(1))
    loss_box = F.smooth_l1_loss(box, 2 * x[:, :4])
    loss = loss_class if step < 30 else loss_class + loss_box
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"losses {loss_class.item():.3f} {loss_box.item():.3f}")
