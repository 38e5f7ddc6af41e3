"""Constrained training with a Lagrange multiplier that is moved by hand, by gradient ascent."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(200, 6)
Y = X @ torch.randn(6, 1)
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
lam = torch.tensor(0.1, requires_grad=True)

for step in range(60):
    optimizer.zero_grad()
    fit = ((model(X) - Y) ** 2).mean()
    excess = model.weight.norm() - 1.5
    loss = fit + lam * excess
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        lam += 0.02 * lam.grad
        lam.clamp_(min=0.0)
    lam.grad = None
print(f"fit {fit.item():.3f}, norm {model.weight.norm().item():.3f}, multiplier {lam.item():.3f}")
