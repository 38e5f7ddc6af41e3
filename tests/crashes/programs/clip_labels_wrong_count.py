#~ crash: SHP201
#~ edit: labels[:16]
import torch
from torch import nn
from torch.nn import functional as F

encoder = nn.Linear(64, 32)
labels = torch.arange(32)  #~ maker
for batch in torch.randn(80, 64).split(32):
    z = F.normalize(encoder(batch), dim=-1)
    loss = F.cross_entropy(z @ z.T, labels)  #~ fails
    loss.backward()
