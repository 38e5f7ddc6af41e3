"""All that the class for early stopping has kept goes into the checkpoint."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class EarlyStopping:
    def __init__(self):
        self.best, self.best_weights = float("inf"), None

    def update(self, loss, model):
        if loss < self.best:
            self.best = loss
            self.best_weights = {name: value.clone() for name, value in model.state_dict().items()}


x = torch.randn(64, 4)
y = x.sum(1, keepdim=True) + torch.randn(64, 1)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
stopper = EarlyStopping()
for epoch in range(6):
    model.train()
    for rows in range(0, 48, 16):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x[rows : rows + 16]), y[rows : rows + 16]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        stopper.update(nn.functional.mse_loss(model(x[48:]), y[48:]).item() + epoch, model)
checkpoint = vars(stopper)
print(f"best {stopper.best:.3f} of {sorted(checkpoint)}")
