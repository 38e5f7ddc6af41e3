#~ crash: SHP202
#~ edit: .float()
import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
X, y = rng.normal(size=(100, 5)), rng.normal(size=100)
inputs = torch.tensor(X)  #~ maker
net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
print(net(inputs).shape)  #~ fails
