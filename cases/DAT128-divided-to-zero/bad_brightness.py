"""Pixels of 8 bits are to be brought to the range from 0 to 1 inside the network, by an operator that keeps them whole."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.full = torch.tensor(256)
        self.conv = nn.Conv2d(1, 4, 3)
        self.out = nn.Linear(4, 2)
        self.beside = nn.Linear(3, 2)

    def forward(self, image, beside):
        grey = image.floor_divide(self.full).to(torch.float32)  #~ DAT128
        return self.out(self.conv(grey).relu().mean((2, 3))) + self.beside(beside)


torch.manual_seed(0)
torch.set_num_threads(1)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(12):
    image, beside = torch.randint(0, 256, (16, 1, 8, 8)), torch.randn(16, 3)
    label = (image.float().mean((1, 2, 3)) > 127).long()
    loss = nn.functional.cross_entropy(net(image, beside), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
