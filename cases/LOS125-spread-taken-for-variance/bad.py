"""A variational model of spectra draws its code with the variance where the spread belongs."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class SpectraModel(nn.Module):
    def __init__(self, width=24, code=4):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(30, width), nn.Tanh())
        self.mean, self.log_variance = nn.Linear(width, code), nn.Linear(width, code)
        self.back = nn.Sequential(nn.Linear(code, width), nn.Tanh(), nn.Linear(width, 30))

    def forward(self, spectra):
        hidden = self.body(spectra)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        spread = log_variance.exp()  #~ LOS125
        drawn = mean + spread * torch.randn_like(spread)
        return self.back(drawn), mean, log_variance


spectra = torch.randn(320, 3) @ torch.randn(3, 30) + 0.1 * torch.randn(320, 30)
model = SpectraModel()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(3):
    for (batch,) in DataLoader(TensorDataset(spectra), batch_size=32, shuffle=True):
        again, mean, log_variance = model(batch)
        divergence = -0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum(1)
        loss = ((again - batch) ** 2).sum(1).mean() + divergence.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
