"""Losses and outputs are kept in a history for a plot at the end, each with its graph."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(8, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
history = {"loss": [], "lr": []}
for step in range(80):
    x = torch.randn(32, 8)
    loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
    history["loss"].append(loss)  #~ HDW101
    history["lr"].append(opt.param_groups[0]["lr"])
print(f"first {history['loss'][0]:.3f}, last {history['loss'][-1]:.3f}")
