"""Two towers that are trained to find each other: the best partner is looked for along both axes."""
import torch
from torch import nn


class Towers(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(6, 16), nn.Linear(6, 16)

    def forward(self, a, b):
        a, b = nn.functional.normalize(self.left(a)), nn.functional.normalize(self.right(b))
        return 10 * a @ b.T


torch.manual_seed(0)
torch.set_num_threads(1)
a = torch.randn(320, 6)
b = a.flip(1) + 0.1 * torch.randn(320, 6)
model = Towers()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
partners = torch.arange(32)
for epoch in range(5):
    for rows in torch.randperm(288).split(32):
        optimizer.zero_grad()
        scores = model(a[rows], b[rows])
        loss = (nn.functional.cross_entropy(scores, partners) + nn.functional.cross_entropy(scores.T, partners)) / 2
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        scores = model(a[288:], b[288:])
        there = (scores.argmax(1) == partners).float().mean()
        back = (scores.argmax(0) == partners).float().mean()
    print(epoch, there.item(), back.item())
