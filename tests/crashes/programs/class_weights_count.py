#~ crash: SHP201
import torch
from torch import nn

weights = torch.tensor([1.0, 2.0, 0.5])  #~ maker
criterion = nn.CrossEntropyLoss(weight=weights)
net = nn.Linear(8, 4)  #~ maker
loss = criterion(net(torch.randn(6, 8)), torch.randint(0, 4, (6,)))  #~ fails
loss.backward()
