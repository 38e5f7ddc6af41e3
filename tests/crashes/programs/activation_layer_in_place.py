#~ crash: GRD202
#~ edit: inplace=False
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate, self.value = nn.Linear(width, width), nn.Linear(width, width)
        self.act = nn.LeakyReLU(0.1, inplace=True)
        self.squash = nn.Sigmoid()

    def forward(self, x):
        gate = self.squash(self.gate(x))  #~ maker
        opened = self.act(gate)  #~ maker
        return opened * self.value(x)


torch.manual_seed(0)
model = nn.Sequential(Gate(8), nn.Linear(8, 2))
opt = torch.optim.Adam(model.parameters())
for _ in range(2):
    x, y = torch.randn(24, 8), torch.randint(0, 2, (24,))
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()  #~ fails
    opt.step()
print("done")
