"""A trainer makes an optimizer of its own from the model and is handed a schedule for another one."""

import torch
from torch import nn


class Trainer:
    def __init__(self, model, scheduler):
        self.model, self.scheduler = model, scheduler
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

    def fit(self, steps):
        for _ in range(steps):
            x = torch.randn(32, 8)
            loss = nn.functional.mse_loss(self.model(x), x.sum(1, keepdim=True))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.scheduler.step()


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(8, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.01, 1.0, total_iters=20)  #~ OPT115
Trainer(model, warmup).fit(60)
