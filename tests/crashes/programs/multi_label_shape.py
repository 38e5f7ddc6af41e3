#~ crash: SHP201
#~ edit: out_features=10
import torch
from torch import nn

net = nn.Linear(30, 12)  #~ maker
x = torch.randn(40, 30)
labels = torch.randint(0, 2, (40, 10)).float()  #~ maker
loss = nn.BCEWithLogitsLoss()(net(x), labels)  #~ fails
loss.backward()
