"""A function of its own brings the norm to one, before the scaler has unscaled."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 6)
y = x.sum(1, keepdim=True)


def clip_gradients(parameters, max_norm=1.0):
    gradients = [p.grad for p in parameters if p.grad is not None]
    norm = torch.linalg.vector_norm(torch.stack([g.norm() for g in gradients]))
    factor = max_norm / (norm + 1e-6)
    if factor < 1.0 and norm.isfinite():
        for p in parameters:
            p.grad.mul_(factor)  #~ OPT107


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD([{"params": model[0].parameters(), "lr": 0.02}, {"params": model[2].parameters()}], lr=0.05)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)

    def step(self, x, y):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(self.model(x), y)
        self.scaler.scale(loss).backward()
        clip_gradients(list(self.model.parameters()))
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.item()


trainer = Trainer(nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1)))
for _ in range(30):
    chosen = torch.randint(0, 256, (32,))
    loss = trainer.step(x[chosen], y[chosen])
print(f"loss {loss:.4f}")
