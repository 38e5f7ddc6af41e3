"""A no_grad block left in forward cuts the convolution off, although the optimizer owns it."""
import torch
from torch import nn
import torch.nn.functional as F


class Stripes(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3)
        self.fc = nn.Linear(6, 2)

    def forward(self, image):
        with torch.no_grad():  #~ GRD102
            features = torch.relu(self.conv(image)).mean(dim=(2, 3))  #~? GRD102
        return self.fc(features)


def make(n):
    y = torch.randint(0, 2, (n,))
    rows = torch.randn(n, 1, 9, 1).expand(-1, -1, 9, 9)
    stripe = torch.where(y.view(-1, 1, 1, 1) == 1, rows, rows.transpose(2, 3))
    return stripe + 0.5 * torch.randn(n, 1, 9, 9), y


torch.manual_seed(0)
torch.set_num_threads(1)
net = Stripes()
opt = torch.optim.Adam(net.parameters(), lr=0.03)
for step in range(60):
    x, y = make(48)
    opt.zero_grad()
    F.cross_entropy(net(x), y).backward()
    opt.step()
x, y = make(400)
with torch.no_grad():
    print(f"accuracy {(net(x).argmax(1) == y).float().mean().item():.3f}")
