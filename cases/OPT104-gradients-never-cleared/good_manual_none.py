"""The loop clears gradients by assigning None to p.grad, without any zero_grad."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(60):
    for p in net.parameters():
        p.grad = None
    x = torch.rand(40, 2)
    loss = (net(x) - x.prod(1, keepdim=True)).pow(2).mean()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.5f}")
