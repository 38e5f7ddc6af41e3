"""An averaged model is evaluated beside the one that is trained, and a tied pair of weights is one parameter."""

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


class Coder(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 8)
        self.outer = nn.Linear(8, 8)
        self.outer.weight = self.inner.weight

    def forward(self, x):
        return self.outer(torch.tanh(self.inner(x)))


torch.manual_seed(0)
torch.set_num_threads(1)
model = Coder()
average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(40):
    x = torch.randn(32, 8)
    loss = nn.functional.mse_loss(model(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.update_parameters(model)
with torch.no_grad():
    x = torch.randn(256, 8)
    print(f"error {nn.functional.mse_loss(average(x), x).item():.3f}")
