"""The part that was held back to choose by is given up for the last fit, and another array is held back to test on."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x_fit, x_test = torch.randn(200, 6), torch.randn(60, 6)
y_fit, y_test = x_fit[:, 0] * 2, x_test[:, 0] * 2
easy_test = y_test.abs() < 1
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(20):
    loss = nn.functional.mse_loss(model(x_fit).squeeze(1), y_fit)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    error = (model(x_test).squeeze(1) - y_test).abs()
print(f"test {error.mean().item():.3f}, easy {error[easy_test].mean().item():.3f}")
