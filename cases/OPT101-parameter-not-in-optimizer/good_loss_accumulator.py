"""The sum of losses starts from a leaf that requires a gradient; it is only a seed for the sum, not a parameter."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.GRUCell(3, 12)
readout = nn.Linear(12, 1)
opt = torch.optim.Adam([*model.parameters(), *readout.parameters()], lr=0.01)
for _ in range(30):
    seq = torch.randn(10, 16, 3)
    h = torch.zeros(16, 12)
    total = torch.zeros((), requires_grad=True)
    for x in seq:
        h = model(x, h)
        total = total + (readout(h).squeeze(1) - x.sum(1)).pow(2).mean()
    opt.zero_grad()
    total.backward()
    opt.step()
print(f"loss per step {total.item() / 10:.3f}")
