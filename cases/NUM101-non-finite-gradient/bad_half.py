"""The energy of a hidden layer is squared in float16 under autocast, and overflows in the batch with the loudest input."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(8, 32), nn.Linear(32, 1)

    def forward(self, x):
        h = self.body(x)
        energy = h * h  #~ NUM101
        return self.head(energy)


torch.manual_seed(0)
torch.set_num_threads(1)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.001)
X = torch.randn(800, 8)
X[600] *= 400
for i in torch.arange(800).split(20):
    with torch.autocast("cpu", dtype=torch.float16):
        out = net(X[i])
        loss = nn.functional.smooth_l1_loss(out.float(), X[i, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
