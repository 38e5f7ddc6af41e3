"""Losses are detached, itemized and wrapped again for the log only."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(5, 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.Adam(model.parameters(), lr=0.01)
history, running = [], torch.tensor(0.0)
for step in range(60):
    x = torch.randn(32, 5)
    out = model(x)
    loss = nn.functional.mse_loss(out, x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append(torch.tensor(loss.item()))
    running = 0.9 * running + 0.1 * loss.detach()
    spread = out.data.numpy().std()
print(f"mean {torch.stack(history).mean().item():.3f}, running {running.item():.3f}, spread {spread:.2f}")
