"""Train a classifier of cosines with an additive margin, as face recognition does, on classes that differ in direction."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)

CLASSES, SCALE, MARGIN = 10, 16.0, 0.2


class MarginHead(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(classes, width))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, features, labels=None):
        cosines = F.linear(F.normalize(features), F.normalize(self.weight))
        if labels is not None:
            cosines = cosines - MARGIN * F.one_hot(labels, CLASSES)
        return SCALE * cosines


directions = F.normalize(torch.randn(CLASSES, 20), dim=1)
labels = torch.randint(CLASSES, (1500,))
inputs = directions[labels] * torch.rand(1500, 1).add(0.5) * 4 + 0.6 * torch.randn(1500, 20)
train_loader = DataLoader(TensorDataset(inputs[:1200], labels[:1200]), batch_size=60, shuffle=True)

body = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.PReLU(), nn.Linear(64, 16))
head = MarginHead(16, CLASSES)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.05, momentum=0.9, weight_decay=5e-4)
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[4, 6], gamma=0.1)

for epoch in range(8):
    body.train()
    for x, y in train_loader:
        loss = F.cross_entropy(head(body(x), y), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    scheduler.step()
    body.eval()
    with torch.no_grad():
        accuracy = (head(body(inputs[1200:])).argmax(dim=1) == labels[1200:]).float().mean().item()
    print(f"epoch {epoch + 1}: loss {loss.item():.3f}, accuracy {accuracy:.3f}")
