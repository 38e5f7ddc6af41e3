#~ crash: SHP201
#~ edit: out_features=32
import torch
from torch import nn

torch.manual_seed(0)
cell, proj, out = nn.GRUCell(8, 32), nn.Linear(32, 24), nn.Linear(24, 1)  #~ maker
sequence = torch.randn(6, 16, 8)
h = torch.zeros(16, 32)
total = 0
for t in range(6):
    state = cell(sequence[t], h)  #~ fails
    h = proj(state)  #~ maker
    total = total + out(torch.relu(h)).mean() if h.shape[1] == 24 else total + state.mean()
print(float(total))
