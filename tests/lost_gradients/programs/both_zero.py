#~ zero: GRD104
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 8)
Y = X @ torch.randn(8, 3)


class Low(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.zeros(8, 2))
        self.b = nn.Parameter(torch.zeros(2, 3))  #~ here

    def forward(self, x):
        return x @ self.a @ self.b


model = Low()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(40):
    at = torch.arange(step * 32, step * 32 + 32) % 256
    x, y = X[at], Y[at]
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
