#~ crash: SHP201
#~ edit: x.reshape(-1, 3136)
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.fc = nn.Linear(4 * 28 * 28, 10)  #~ maker

    def forward(self, x):
        x = torch.relu(self.conv(x))
        x = x.flatten()  #~ maker
        return self.fc(x)  #~ fails


Net()(torch.rand(8, 1, 28, 28))
