#~ crash: SHP201
#~ edit: unsqueeze
import torch
from torch import nn

embed = nn.Embedding(7, 4)
category = torch.randint(0, 7, (32,))
price = torch.randn(32)  #~ maker
features = torch.cat([embed(category), price], dim=1)  #~ fails
nn.Linear(5, 1)(features).mean().backward()
