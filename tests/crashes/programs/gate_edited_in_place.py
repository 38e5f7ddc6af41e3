#~ crash: GRD202
#~ edit: clone
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 8)
        self.value = nn.Linear(8, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        gate = torch.sigmoid(self.gate(x))  #~ maker
        mixed = gate * self.value(x)
        gate[:, 0] = 1.0  #~ maker
        return self.head(mixed + gate)


torch.manual_seed(0)
model = Gated()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(2):
    x = torch.randn(16, 8)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()  #~ fails
    optimizer.step()
print("ok")
