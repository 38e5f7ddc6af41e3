"""A dry run of forward and backward checks shapes first; its gradients are cleared and never used."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def dry_run(model, loader):
    x, y = next(iter(loader))
    nn.functional.mse_loss(model(x), y).backward()
    missing = [n for n, p in model.named_parameters() if p.grad is None]
    model.zero_grad(set_to_none=True)
    return missing


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(240, 4)
loader = DataLoader(TensorDataset(X, X.flip(1)), batch_size=24, shuffle=True)
model = nn.Sequential(nn.Linear(4, 16), nn.ELU(), nn.Linear(16, 4))
assert not dry_run(model, loader)
opt = torch.optim.NAdam(model.parameters(), lr=0.01)
for _ in range(5):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        opt.step()
        opt.zero_grad()
print(f"loss {loss.item():.3f}")
