"""unscale_ is there, but one line too late: the clip has already seen the scaled gradients."""
import torch
from torch import nn


class AmpTrainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.3)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=4096.0)
        self.norms = []

    def step(self, x, y):
        self.opt.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = self.net(x)
        loss = (out.float() - y).abs().mean()
        self.scaler.scale(loss).backward()
        norm = nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)  #~ OPT107
        self.scaler.unscale_(self.opt)
        self.norms.append(norm.item())
        self.scaler.step(self.opt)
        self.scaler.update()
        return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
trainer = AmpTrainer(nn.Linear(5, 1))
w = torch.randn(5, 1)
for _ in range(60):
    x = torch.randn(40, 5)
    loss = trainer.step(x, x @ w)
print(f"loss {loss:.4f}")
