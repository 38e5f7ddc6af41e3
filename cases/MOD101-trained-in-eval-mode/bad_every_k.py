"""A step-based trainer class that evaluates every ten steps and then trains on without dropout."""
import torch
from torch import nn
import torch.nn.functional as F


class Trainer:
    def __init__(self, net, data, held_out):
        self.net, self.data, self.held_out = net, data, held_out
        self.opt = torch.optim.Adam(net.parameters(), lr=2e-2)

    def check(self):
        self.net.train(False)  #~ MOD101
        x, y = self.held_out
        with torch.no_grad():
            return F.mse_loss(self.net(x), y).item()

    def run(self, steps):
        self.net.train()
        x, y = self.data
        score = float("nan")
        for step in range(1, steps + 1):
            idx = torch.randint(0, len(x), (16,))
            self.opt.zero_grad()
            F.mse_loss(self.net(x[idx]), y[idx]).backward()
            self.opt.step()
            if step % 10 == 0:
                score = self.check()
        return score


torch.manual_seed(1)
torch.set_num_threads(1)
X = torch.randn(80, 20)
Y = X[:, :1] + torch.randn(80, 1)
net = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Dropout(0.7), nn.Linear(128, 1))
print(f"held-out mse {Trainer(net, (X[:40], Y[:40]), (X[40:], Y[40:])).run(80):.3f}")
