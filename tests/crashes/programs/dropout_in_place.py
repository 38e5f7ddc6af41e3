#~ crash: GRD202
#~ edit: h = F.dropout(h, 0.1, self.training)
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(16, 32), nn.Linear(32, 1)

    def forward(self, x):
        h = torch.tanh(self.first(x))  #~ maker
        F.dropout(h, 0.1, self.training, inplace=True)  #~ maker
        return self.last(h)


torch.manual_seed(0)
net = Net()
opt = torch.optim.Adam(net.parameters())
for _ in range(3):
    x = torch.randn(32, 16)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()  #~ fails
    opt.step()
print("done")
