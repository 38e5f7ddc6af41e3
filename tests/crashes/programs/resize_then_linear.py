#~ crash: SHP201
#~ edit: in_features=2304
import torch
from torch import nn

net = nn.Sequential(
    nn.Conv2d(1, 16, 5),
    nn.MaxPool2d(2),
    nn.Conv2d(16, 64, 3, padding=1),
    nn.MaxPool2d(2, ceil_mode=True),
    nn.Flatten(),
    nn.Linear(64 * 7 * 7, 10),  #~ maker
)
x = torch.rand(4, 1, 28, 28)
net(x)  #~ fails
