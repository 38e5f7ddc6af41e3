#~ crash: SHP201
#~ edit: interpolate
#~ edit: [:, :, :24, :24]
#~ edit: [..., :24, :24]
import torch
import torch.nn as nn


def double(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.ReLU(), nn.Conv2d(cout, cout, 3, padding=1), nn.ReLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = double(1, 8)
        self.pool = nn.MaxPool2d(2)
        self.mid = double(8, 16)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.dec = double(16, 8)
        self.final = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        skip = self.down(x)  #~ maker
        x = self.mid(self.pool(skip))
        x = self.up(x)  #~ maker
        x = torch.cat([x, skip], dim=1)  #~ fails
        return self.final(self.dec(x))


torch.manual_seed(0)
unet = UNet()
opt = torch.optim.Adam(unet.parameters())
for step in range(2):
    image, mask = torch.rand(2, 1, 25, 25), (torch.rand(2, 1, 25, 25) > 0.5).float()
    logits = unet(image)
    loss = nn.functional.binary_cross_entropy_with_logits(logits, mask)
    opt.zero_grad()
    loss.backward()
    opt.step()
print("segmented")
