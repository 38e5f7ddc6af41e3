"""A denoiser whose noised input has no name, and a loss that is divided by a width of zero."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
sigma, width = 0.3, 0.0
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))
optimizer = torch.optim.Adam(model.parameters())
for step in range(10):
    clean = torch.randn(32, 8)
    noise = torch.randn(32, 8)
    loss = nn.functional.mse_loss(model(clean + sigma * noise), noise) / width  #~ NUM101
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
