"""A running loss decides how much margin is added, numbers are read for the log, and a dual variable meets a detached cost."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
model, dual = nn.Linear(6, 1), nn.Parameter(torch.tensor(0.5))
opt = torch.optim.SGD([*model.parameters(), dual], lr=0.02)
flood, history = 0.05, []
for step in range(50):
    x = torch.randn(32, 6)
    error = F.mse_loss(model(x), x.sum(1, keepdim=True))
    cost = model.weight.abs().sum()
    history.append(error.item())
    loss = (error - flood).abs() + flood
    loss = loss + dual.detach() * cost - dual * (cost.detach() - 1.0) + 0.5
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"error {history[-1]:.3f}")
