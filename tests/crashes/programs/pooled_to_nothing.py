#~ crash: SHP201
#~ edit: padding=1
#~ edit: kernel_size=
#~ edit: padding
import torch
from torch import nn


def block(channels_in, channels_out):
    return nn.Sequential(nn.Conv2d(channels_in, channels_out, 3), nn.ReLU(), nn.MaxPool2d(2))


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.three = block(3, 8), block(8, 16), block(16, 16)
        self.last = nn.Conv2d(16, 32, 3)  #~ maker
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        x = self.three(self.two(self.one(x)))  #~ maker
        x = self.last(x)  #~ fails
        return self.head(x.mean((2, 3)))


torch.manual_seed(0)
small = Small()
sgd = torch.optim.SGD(small.parameters(), lr=0.1)
for _ in range(2):
    x, y = torch.rand(4, 3, 24, 24), torch.randint(0, 10, (4,))
    loss = nn.functional.cross_entropy(small(x), y)
    sgd.zero_grad()
    loss.backward()
    sgd.step()
print("ok")
