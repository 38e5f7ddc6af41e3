#~ crash: SHP201
#~ edit: noise[:, :, None, None]
import torch
from torch import nn

generator = nn.Sequential(
    nn.ConvTranspose2d(64, 32, 4),  #~ maker
    nn.ReLU(),
    nn.ConvTranspose2d(32, 1, 4, stride=2),
)
noise = torch.randn(16, 64)  #~ maker
fake = generator(noise)  #~ fails
fake.mean().backward()
