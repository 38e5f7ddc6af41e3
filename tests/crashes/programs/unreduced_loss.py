#~ crash: GRD204
#~ edit: mean()
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2))
criterion = nn.CrossEntropyLoss(reduction="none")
opt = torch.optim.Adam(net.parameters(), lr=0.01)
weights = torch.rand(40)
x, y = torch.randn(40, 5), torch.randint(0, 2, (40,))
for epoch in range(3):
    loss = criterion(net(x), y) * weights  #~ maker
    opt.zero_grad()
    loss.backward()  #~ fails
    opt.step()
print("weighted")
