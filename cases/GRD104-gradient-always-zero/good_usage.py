"""The mean use of each expert is taken over the batch, beside the loss that trains the gate."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
gate, experts = nn.Linear(6, 4), nn.Linear(6, 4)
optimizer = torch.optim.SGD([*gate.parameters(), *experts.parameters()], lr=0.1)
for _ in range(20):
    x = torch.randn(32, 6)
    y = x[:, :1] - x[:, 1:2]
    share = torch.softmax(gate(x), dim=1)
    loss = ((share * experts(x)).sum(dim=1, keepdim=True) - y).pow(2).mean() + share.mean(0).pow(2).sum() + 0 * share.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
