"""A linear decay by hand, planned for 20 steps and stepped 60 times: the rate goes below zero."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def linear_decay(num_steps):
    def factor(step):
        return 1.0 - step / num_steps

    return factor


net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
decay = torch.optim.lr_scheduler.LambdaLR(opt, linear_decay(20))  #~ OPT140
x = torch.randn(256, 4)
y = x[:, :3].argmax(1)
for step in range(60):
    chosen = torch.randint(0, 256, (32,))
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x[chosen]), y[chosen])
    loss.backward()
    opt.step()
    decay.step()
print(f"loss {loss.item():.2f}")
