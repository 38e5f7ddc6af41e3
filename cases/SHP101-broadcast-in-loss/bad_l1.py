"""An absolute-error trainer class that compares a column of outputs with a flat vector."""
import torch
from torch import nn

torch.manual_seed(4)
torch.set_num_threads(1)


class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(3, 24), nn.Tanh(), nn.Linear(24, 1))
        self.opt = torch.optim.Adam(self.model.parameters(), lr=0.01)

    def truth(self, x):
        return 2 * x[:, 0] + x[:, 1].abs()

    def objective(self, out, target):
        return (out - target).abs().mean()  #~ SHP101

    def fit(self, steps):
        for _ in range(steps):
            x = torch.randn(40, 3)
            target = self.truth(x)
            self.opt.zero_grad()
            loss = self.objective(self.model(x), target)
            loss.backward()
            self.opt.step()


trainer = Trainer()
trainer.fit(80)
probe = torch.randn(500, 3)
with torch.no_grad():
    gap = (trainer.model(probe).flatten() - trainer.truth(probe)).abs().mean().item()
print(f"mean absolute error {gap:.3f}")
