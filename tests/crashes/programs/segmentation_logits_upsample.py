#~ crash: SHP201
#~ edit: torch.nn.functional.interpolate(logits, size=masks.shape[-2:])
import torch
from torch import nn

down = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(16, 5, 3, stride=2, padding=1))
up = nn.Upsample(scale_factor=2)
images = torch.rand(2, 3, 64, 64)
masks = torch.randint(0, 5, (2, 64, 64))  #~ maker
logits = up(down(images))
loss = nn.functional.cross_entropy(logits, masks)  #~ fails
loss.backward()
