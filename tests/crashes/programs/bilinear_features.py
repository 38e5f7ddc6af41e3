#~ crash: SHP201
#~ edit: embedding_dim=32
import torch
from torch import nn

score = nn.Bilinear(32, 32, 1)  #~ maker
users, items = nn.Embedding(50, 32), nn.Embedding(70, 24)  #~ maker
u, i = torch.randint(0, 50, (9,)), torch.randint(0, 70, (9,))
score(users(u), items(i)).mean().backward()  #~ fails
