"""Half of the rows, drawn anew without repetition, get an addition, and rows that a mask takes get another."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
lift, extra, head = nn.Linear(5, 8), nn.Linear(8, 8), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*lift.parameters(), *extra.parameters(), *head.parameters()], lr=0.05)
for _ in range(20):
    x = torch.randn(64, 5)
    hidden = lift(x)
    chosen = torch.randperm(64)[:32]
    hidden[chosen] += torch.tanh(extra(hidden[chosen]))
    large = x[:, 0] > 0
    hidden[large] -= 0.1 * extra(hidden[large])
    loss = (head(hidden) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
