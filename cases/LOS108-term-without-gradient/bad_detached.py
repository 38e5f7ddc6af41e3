"""The second head's loss is detached before the two are summed, in a trainer class with accumulation."""
import torch
from torch import nn
import torch.nn.functional as F


class Trainer:
    def __init__(self):
        self.body, self.kind, self.size = nn.Linear(6, 16), nn.Linear(16, 3), nn.Linear(16, 1)
        self.kind_only = [*self.body.parameters(), *self.kind.parameters()]
        self.opt = torch.optim.Adam(self.kind_only, lr=0.01)

    def losses(self, x, kind, spread):
        h = torch.tanh(self.body(x))
        return {"kind": F.cross_entropy(self.kind(h), kind), "spread": (h.var(0) - spread).pow(2).mean()}

    def step(self, number, *batch):
        losses = self.losses(*batch)
        logged = {name: value.detach() for name, value in losses.items()}  #~ LOS108
        loss = (losses["kind"] + logged["spread"]) / 2  #~? LOS108
        loss.backward()
        if number % 2:
            self.opt.step()
            self.opt.zero_grad()
        return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
trainer = Trainer()
for number in range(60):
    x = torch.randn(16, 6)
    loss = trainer.step(number, x, x[:, :3].argmax(1), 0.5)
print(f"loss {loss:.3f}")
