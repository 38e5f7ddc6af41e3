"""Gradients of scaled losses are accumulated, and the step goes past the scaler."""

import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model, self.every = model, 2
        self.scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        self.optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)

    def fit(self, batches):
        for index, x in enumerate(batches):
            loss = nn.functional.l1_loss(self.model(x), x.sum(1, keepdim=True)) / self.every
            self.scaler.scale(loss).backward()
            if (index + 1) % self.every == 0:
                self.optimizer.step()  #~ OPT113
                self.optimizer.zero_grad()


torch.manual_seed(0)
torch.set_num_threads(1)
Trainer(nn.Linear(6, 1)).fit([torch.randn(16, 6) for _ in range(60)])
