"""A deep copy after the optimizer was built is an average for evaluation; the optimizer still owns the live model."""
import copy
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=0.01)
ema = copy.deepcopy(model)
for step in range(60):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(model(x), x.abs().sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for e, p in zip(ema.parameters(), model.parameters()):
            e.copy_(0.9 * e + 0.1 * p)
with torch.no_grad():
    print(f"average's loss {nn.functional.mse_loss(ema(x), x.abs().sum(1, keepdim=True)).item():.3f}")
