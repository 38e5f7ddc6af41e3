"""A per-channel gain is made a parameter in double precision and then cast, so the module never registers it."""
import numpy as np
import torch
from torch import nn

torch.manual_seed(3)
torch.set_num_threads(1)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.from_numpy(np.ones(8))).float()  #~ OPT101
        self.bias = nn.Parameter(torch.zeros(8))

    def forward(self, x):
        return x * self.gain + self.bias


true_gain = torch.linspace(-2, 2, 8)
model = Scaled()
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
for _ in range(60):
    x = torch.randn(32, 8)
    loss = (model(x) - (x * true_gain + 1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}, gain {model.gain[0].item():.2f} (true -2.00)")
