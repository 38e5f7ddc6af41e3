#~ crash: GRD202
#~ edit: h = F.dropout(h, p=0.2)
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
body, head = nn.Linear(10, 20), nn.Linear(20, 1)
opt = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.01)
for x in torch.randn(96, 10).split(32):
    h = body(x)  #~ maker
    energy = (h * h).mean()
    F.dropout(h, p=0.2, inplace=True)  #~ maker
    loss = head(h).pow(2).mean() + 0.1 * energy
    opt.zero_grad()
    loss.backward()  #~ fails
    opt.step()
print("done")
