"""The network is fitted to the rows of training to see how good it is, and then to all rows."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(200, 6)
y = x[:, 0] - x[:, 3]
val_mask = torch.rand(200) < 0.25


def fit(inputs, targets):
    model = nn.Linear(6, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(15):
        loss = nn.functional.mse_loss(model(inputs).squeeze(1), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


model = fit(x[~val_mask], y[~val_mask])
with torch.no_grad():
    error = model(x[val_mask]).squeeze(1) - y[val_mask]
final = fit(x, y)
print(f"validation {error.abs().mean().item():.3f}, bias {final.bias.item():.3f}")
