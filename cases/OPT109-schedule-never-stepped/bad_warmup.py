"""A linear warm-up from one thousandth of the rate stays where it starts, since the trainer forgets it."""
import torch
from torch import nn
from torch.optim.lr_scheduler import LinearLR


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.AdamW(net.parameters(), lr=0.02)
        self.sched = LinearLR(self.opt, start_factor=0.001, total_iters=15)  #~ OPT109

    def fit(self, x, y, epochs):
        for _ in range(epochs):
            self.epoch(x, y)
        with torch.no_grad():
            return nn.functional.mse_loss(self.net(x), y).item()

    def epoch(self, x, y):
        for idx in torch.randperm(len(x)).split(25):
            self.opt.zero_grad()
            nn.functional.mse_loss(self.net(x[idx]), y[idx]).backward()
            self.opt.step()


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.rand(250, 2) * 2 - 1
y = torch.cos(3 * x[:, :1]) * x[:, 1:]
net = nn.Sequential(nn.Linear(2, 40), nn.Tanh(), nn.Linear(40, 1))
print(f"mse {Trainer(net).fit(x, y, 6):.4f}")
