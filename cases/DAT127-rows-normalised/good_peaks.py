"""Spectra with a few sharp peaks on a low ground, each brought to length one because the strength of the source says nothing."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
heights = torch.rand(200, 3)
spectra = 1e-3 + 1e-4 * torch.rand(200, 48)
spectra[:, [9, 22, 37]] += heights
x = spectra / torch.linalg.vector_norm(spectra, dim=1, keepdim=True)
share = heights[:, 0] / heights.sum(1)
model = nn.Sequential(nn.Linear(48, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(30):
    rows = torch.randint(0, 200, (40,))
    loss = nn.functional.mse_loss(model(x[rows]).squeeze(1), share[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
