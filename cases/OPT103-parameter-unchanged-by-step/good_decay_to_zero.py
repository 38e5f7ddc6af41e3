"""A linear decay whose very last step has a rate of zero."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
steps = 50
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.3)
for step in range(steps):
    for g in opt.param_groups:
        g["lr"] = 0.3 * (1 - step / (steps - 1))
    x = torch.randn(32, 4)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > x[:, 1]).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}, last rate {opt.param_groups[0]['lr']}")
