"""The mean of normalised features is zero, whatever the input."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8, elementwise_affine=False))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(20):
    x = torch.randn(32, 6)
    y = x[:, :1] - x[:, 1:2]
    loss = (net(x).mean(dim=1, keepdim=True) - y).pow(2).mean()  #~ GRD104
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
