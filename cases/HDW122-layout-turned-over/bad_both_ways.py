"""Each stage of a network goes over to channels last for its convolution, and back for what follows."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList([nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 3), nn.Conv2d(8, 8, 3)])
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        for stage in self.stages:
            x = x.to(memory_format=torch.channels_last)
            x = stage(x).contiguous()  #~ HDW122
            x = x.relu()
        return self.head(x.mean((2, 3)))


model = Network()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(12):
    images, labels = torch.randn(8, 3, 16, 16), torch.randint(0, 4, (8,))
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
