#~ crash: SHP201
#~ edit: self.condition(style)[:, :, None, None]
import torch
from torch import nn


class Condition(nn.Module):
    def __init__(self, dim, layers=2):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))
        self.out = nn.Linear(dim, 24)

    def hidden(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x)) + x
        return x

    def forward(self, x, scale=None):
        batch, _ = x.shape
        if scale is not None:
            x = x * scale
        return self.out(self.hidden(x)).view(batch, -1)


class Styled(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 24, 3, padding=1)
        self.condition = Condition(16)

    def forward(self, image, style):
        h = self.stem(image)  #~ maker
        return torch.relu(h * self.condition(style))  #~ fails


images, styles = torch.rand(6, 3, 20, 20), torch.randn(6, 16)
Styled()(images, styles).mean().backward()
