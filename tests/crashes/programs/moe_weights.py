#~ crash: SHP201
#~ edit: weights.unsqueeze(2)
import torch
from torch import nn


class MoE(nn.Module):
    def __init__(self, experts=4):
        super().__init__()
        self.gate = nn.Linear(16, experts)
        self.experts = nn.ModuleList([nn.Linear(16, 16) for _ in range(experts)])

    def forward(self, x):
        weights = self.gate(x).softmax(-1)  #~ maker
        outputs = torch.stack([expert(x) for expert in self.experts], dim=1)  #~ maker
        return (weights * outputs).sum(1)  #~ fails


MoE()(torch.randn(10, 16)).sum().backward()
