"""A function that is applied to all layers fills convolutions with ones, scaled by their size."""

import torch
from torch import nn

torch.manual_seed(0)


def fill(module):
    if isinstance(module, (nn.Conv2d, nn.Linear)):
        nn.init.constant_(module.weight, 1 / module.weight[0].numel())  #~ GRD120
        nn.init.zeros_(module.bias)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.head = nn.Linear(32, 1)
        self.apply(fill)

    def forward(self, images):
        return self.head(self.features(images)).squeeze(1)


images = torch.rand(256, 1, 8, 8)
targets = images[:, 0, :4].mean((1, 2)) - images[:, 0, 4:].mean((1, 2))
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(3):
    for chosen in torch.randperm(256).split(16):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(images[chosen]), targets[chosen])
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
