#~ crash: SHP201
#~ edit: out_channels=16
import torch
from torch import nn
import torch.nn.functional as F


class ResBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels * 2, 3, padding=1)  #~ maker

    def forward(self, x):
        out = F.relu(self.conv1(x))
        out = self.conv2(out)  #~ maker
        return F.relu(out + x)  #~ fails


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1)  #~ maker
        self.blocks = nn.Sequential(ResBlock(16), ResBlock(16))
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.head(x.mean((2, 3)))


torch.manual_seed(0)
m = Model()
o = torch.optim.SGD(m.parameters(), lr=0.1)
for k in range(2):
    o.zero_grad()
    F.cross_entropy(m(torch.randn(4, 3, 8, 8)), torch.tensor([0, 1, 2, 0])).backward()
    o.step()
print("end")
