#~ crash: SHP201
#~ edit: embedding_dim=64
import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, dim, longest=50):
        super().__init__()
        position = torch.arange(longest).unsqueeze(1)
        scale = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
        table = torch.zeros(longest, dim)
        table[:, 0::2] = torch.sin(position * scale)
        table[:, 1::2] = torch.cos(position * scale)
        self.register_buffer("table", table)  

    def forward(self, x):
        return x + self.table[: x.size(1)]  #~ fails


model = nn.Sequential(nn.Embedding(30, 32), PositionalEncoding(64))  #~ maker
tokens = torch.randint(0, 30, (4, 12))
model(tokens)
