"""torch.where hides 0/0 from the forward pass, but not from the backward pass."""
import torch
from torch import nn


class GatedMean(nn.Module):
    def __init__(self):
        super().__init__()
        self.value, self.gate = nn.Linear(3, 8), nn.Linear(3, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, x, present):
        weight = torch.sigmoid(self.gate(x)) * present.unsqueeze(2)
        total = (weight * self.value(x)).sum(dim=1)
        count = weight.sum(dim=1)
        ratio = torch.where(count > 0, total / count, torch.zeros_like(total))  #~ NUM101
        return self.out(ratio)


torch.manual_seed(0)
torch.set_num_threads(1)
model = GatedMean()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(50):
    x = torch.randn(16, 5, 3)
    present = (torch.rand(16, 5) < 0.8).float()
    if step == 30:
        present[3] = 0
    y = (x[..., 0] * present).sum(1, keepdim=True) / present.sum(1, keepdim=True).clamp(min=1)
    loss = (model(x, present) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
