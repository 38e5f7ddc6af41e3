#~ crash: SHP202
#~ edit: codes[:, i].long()
import numpy as np
import torch
from torch import nn

table = np.array([[1.0, 3.0], [2.0, 0.0], [0.0, 1.0]])
codes = torch.from_numpy(table)  #~ maker
columns = [nn.Embedding(3, 4), nn.Embedding(4, 4)]
parts = [embed(codes[:, i]) for i, embed in enumerate(columns)]  #~ fails
torch.cat(parts, dim=1)
