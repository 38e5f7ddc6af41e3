"""A trainer steps the schedule between backward and the optimizer's step (torch warns once)."""
import torch
from torch import nn


class Trainer:
    def __init__(self, model, steps):
        self.model = model
        self.optimizer = torch.optim.RMSprop(model.parameters(), lr=0.02)
        self.schedule = torch.optim.lr_scheduler.StepLR(self.optimizer, step_size=1, gamma=0.9)

    def training_step(self, x, y):
        self.optimizer.zero_grad()
        loss = (self.model(x) - y).abs().mean()
        loss.backward()
        self.schedule.step()  #~ OPT111
        self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
trainer = Trainer(nn.Linear(4, 1), 40)
w = torch.randn(4, 1)
for _ in range(40):
    x = torch.randn(32, 4)
    loss = trainer.training_step(x, x @ w)
print(f"loss {loss:.4f}")
