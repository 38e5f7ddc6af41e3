"""Images with channels last, of as many rows as channels, are given to a convolution; a contract says what they are."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

import tensan

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv2d(8, 12, 3), nn.Linear(12, 2)

    @tensan.contract("images: f32[B, H, W, C] -> f32[B, K]")
    def forward(self, images: Tensor) -> Tensor:
        return self.head(F.relu(self.conv(images)).amax((2, 3)))  #~ SHP105


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(30):
    images = torch.randn(16, 8, 8, 8)
    loss = F.cross_entropy(model(images), (images[..., 0].amax((1, 2)) > 2).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
