"""An autoencoder with an optimizer for each half, of which only one is stepped."""
import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(8, 16), nn.Tanh())
decoder = nn.Linear(16, 8)
data = torch.randn(256, 8)
optimizer_e = torch.optim.Adam(encoder.parameters(), 1e-3)
optimizer_d = torch.optim.SGD(decoder.parameters(), 1e-2)  #~ OPT130
for epoch in range(6):
    for idx in torch.randperm(256).split(32):
        optimizer_e.zero_grad()
        optimizer_d.zero_grad()
        loss = nn.functional.mse_loss(decoder(encoder(data[idx])), data[idx])
        loss.backward()
        optimizer_e.step()
