"""One function trains and validates, with `set_grad_enabled(training)`: gradients go off, and the mode stays as it is."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


def run(training):
    with torch.set_grad_enabled(training):
        for _ in range(6):
            x = torch.randn(16, 8)
            loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))  #~ MOD102
            if training:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    return loss.item()


for epoch in range(4):
    run(True)
    print(f"validation {run(False):.3f}")
