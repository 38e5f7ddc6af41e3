#~ crash: SHP201
import torch
from torch import nn
from torch.nn import functional as F

image_encoder, text_encoder = nn.Linear(64, 32), nn.Linear(48, 24)  #~ maker
images, texts = torch.randn(16, 64), torch.randn(16, 48)
a = F.normalize(image_encoder(images), dim=-1)
b = F.normalize(text_encoder(texts), dim=-1)
logits = a @ b.T / 0.07  #~ fails
F.cross_entropy(logits, torch.arange(16)).backward()
