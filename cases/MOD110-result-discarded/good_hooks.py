"""A frozen network is called for what its hooks collect: its own output is of no interest."""

import torch
from torch import nn


class Perceptual(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1)).requires_grad_(False)
        self.kept = []
        self.features[1].register_forward_hook(lambda module, inputs, output: self.kept.append(output))

    def forward(self, image, wanted):
        self.kept.clear()
        self.features(image)
        self.features(wanted)
        return nn.functional.mse_loss(self.kept[0], self.kept[1])


torch.manual_seed(0)
torch.set_num_threads(1)
critic = Perceptual()
decoder = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.Tanh(), nn.Conv2d(4, 1, 3, padding=1))
optimizer = torch.optim.Adam(decoder.parameters(), lr=1e-2)
for step in range(20):
    wanted = torch.rand(4, 1, 8, 8)
    made = decoder(wanted + 0.1 * torch.randn_like(wanted))
    optimizer.zero_grad()
    critic(made, wanted).backward()
    optimizer.step()
