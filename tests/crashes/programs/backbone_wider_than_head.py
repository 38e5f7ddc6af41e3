#~ crash: SHP201
#~ edit: nn.Linear(128, 768)
import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(20, 128), nn.Tanh())  #~ maker
head = nn.Linear(768, 10)  #~ maker
opt = torch.optim.Adam([*backbone.parameters(), *head.parameters()])
for x in torch.randn(128, 20).split(64):
    features = backbone(x)  #~ maker
    loss = nn.functional.cross_entropy(head(features), torch.zeros(64, dtype=torch.long))  #~ fails
    opt.zero_grad()
    loss.backward()
    opt.step()
print("done")
