#~ crash: SHP201
#~ edit: transpose(-2, -1)
#~ edit: transpose(-1, -2)
#~ edit: transpose(1, 2)
#~ edit: .mT
import math

import torch
from torch import nn


class SingleHead(nn.Module):
    def __init__(self, d_in, d_k):
        super().__init__()
        self.wq = nn.Linear(d_in, d_k, bias=False)
        self.wk = nn.Linear(d_in, d_k, bias=False)
        self.wv = nn.Linear(d_in, d_in, bias=False)
        self.scale = 1 / math.sqrt(d_k)

    def forward(self, x):
        q = self.wq(x)  #~ maker
        k = self.wk(x)  #~ maker
        v = self.wv(x)
        scores = torch.matmul(q, k) * self.scale  #~ fails
        return torch.softmax(scores, dim=-1) @ v


torch.manual_seed(0)
head = SingleHead(32, 16)
readout = nn.Linear(32, 1)
opt = torch.optim.Adam([*head.parameters(), *readout.parameters()], lr=1e-3)
for step in range(3):
    x = torch.randn(6, 11, 32)
    loss = (readout(head(x)).mean(1).squeeze(-1) - x.sum((1, 2))).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print("attended")
