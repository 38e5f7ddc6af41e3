"""Accelerate is told of no accumulation: the program divides and counts the batches by itself."""
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
accumulation_steps = 4
accelerator = Accelerator(cpu=True)
x = torch.randn(256, 6)
loader = DataLoader(TensorDataset(x, x[:, :1] * x[:, 1:2]), batch_size=8, shuffle=True)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
for number, (xb, yb) in enumerate(loader, 1):
    loss = nn.functional.mse_loss(net(xb), yb) / accumulation_steps
    accelerator.backward(loss)
    if number % accumulation_steps == 0:
        optimizer.step()
        optimizer.zero_grad()
print(f"loss {loss.item():.3f}")
