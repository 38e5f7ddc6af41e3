"""Small rotations as quaternions, which have length one by definition and nearly all of it in one column."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
axes = 0.02 * torch.randn(300, 3)
x = torch.cat([torch.ones(300, 1), axes], dim=1)
x = x / x.norm(dim=1, keepdim=True)
y = axes[:, :1] - axes[:, 1:2]
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(30):
    rows = torch.randint(0, 300, (50,))
    loss = nn.functional.mse_loss(model(x[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.5f}")
