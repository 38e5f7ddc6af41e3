"""A network that grows by one hidden layer every epoch while its optimizer stays the first one."""
import torch
from torch import nn

torch.manual_seed(5)
torch.set_num_threads(1)
X = torch.rand(256, 1) * 6 - 3
Y = torch.sin(2 * X)
model = nn.Sequential(nn.Linear(1, 16), nn.Tanh())
readout = nn.Linear(16, 1)
opt = torch.optim.Adam([{"params": model.parameters()}, {"params": readout.parameters()}], lr=0.02)  #~? OPT101
for stage in range(3):
    if stage > 0:
        model.append(nn.Linear(16, 16))  #~ OPT101
        model.append(nn.Tanh())
    for batch in torch.randperm(256).split(16):
        loss = nn.functional.mse_loss(readout(model(X[batch])), Y[batch])
        opt.zero_grad()
        loss.backward()
        opt.step()
print("final mse", round(((readout(model(X)) - Y) ** 2).mean().item(), 4))
