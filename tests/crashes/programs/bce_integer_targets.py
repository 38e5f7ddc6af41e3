#~ crash: SHP202
#~ edit: float()
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
X = torch.randn(64, 8)
tags = torch.randint(0, 2, (64, 5))  #~ maker
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 5), nn.Sigmoid())
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(5):
    probabilities = net(X)  #~ maker
    loss = F.binary_cross_entropy(probabilities, tags)  #~ fails
    opt.zero_grad()
    loss.backward()
    opt.step()
print("trained", step + 1)
