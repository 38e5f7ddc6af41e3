"""Clipping between backward and step, with the norm that it returns kept for the log."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.GRU(3, 16, batch_first=True)
out = nn.Linear(16, 1)
params = [*model.parameters(), *out.parameters()]
opt = torch.optim.SGD(params, lr=0.2)
norms = []
for _ in range(40):
    x = torch.randn(24, 8, 3)
    loss = (out(model(x)[0][:, -1]) - x[:, :, 0].mean(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    norms.append(nn.utils.clip_grad_norm_(params, 0.5).item())
    opt.step()
print(f"loss {loss.item():.4f}, largest norm {max(norms):.2f}")
