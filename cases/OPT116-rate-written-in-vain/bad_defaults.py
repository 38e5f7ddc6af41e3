"""A trainer warms the rate up in the optimizer's defaults, which only new groups are filled from."""

import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.model = nn.Linear(8, 1)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=1e-4)

    def fit(self):
        for step in range(50):
            self.opt.defaults["lr"] = 1e-2 * (step + 1) / 50  #~ OPT116
            x = torch.randn(32, 8)
            self.opt.zero_grad()
            nn.functional.mse_loss(self.model(x), x.sum(1, keepdim=True)).backward()
            self.opt.step()


torch.manual_seed(0)
torch.set_num_threads(1)
Trainer().fit()
