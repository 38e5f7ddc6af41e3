"""model.zero_grad() and zeroing one tensor by hand, in place of optimizer.zero_grad()."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(4, 1)
log_scale = torch.zeros(1, requires_grad=True)
opt = torch.optim.RMSprop([*model.parameters(), log_scale], lr=0.01)
for _ in range(70):
    x = torch.randn(32, 4)
    y = x.sum(1, keepdim=True) + 0.3 * torch.randn(32, 1)
    model.zero_grad()
    if log_scale.grad is not None:
        log_scale.grad.zero_()
    nll = (log_scale + 0.5 * ((model(x) - y) / log_scale.exp()) ** 2).mean()
    nll.backward()
    opt.step()
print(f"nll {nll.item():.3f}, scale {log_scale.exp().item():.2f}")
