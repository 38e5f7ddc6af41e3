#~ crash: SHP201
import torch
from torch import nn

cell = nn.LSTMCell(10, 20)
h, c = torch.zeros(8, 20), torch.zeros(8, 20)  #~ maker
sequence = torch.randn(12, 7, 10)  #~ maker
for x in sequence:
    h, c = cell(x, (h, c))  #~ fails
h.sum().backward()
