#~ crash: SHP201
#~ edit: in_features=64
import torch
from torch import nn


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.tower = nn.Sequential(nn.Linear(20, 64), nn.ReLU())
        self.head = nn.Linear(128, 1)  #~ maker

    def forward(self, left, right):
        a, b = self.tower(left), self.tower(right)
        return self.head((a - b).abs())  #~ fails


model = Siamese()
x, y = torch.randn(8, 20), torch.randn(8, 20)
model(x, y).mean().backward()
