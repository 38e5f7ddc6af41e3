"""A detach copied from the critic's step also cuts the autoencoder's own encoder."""
import torch
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)
encoder = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 2))
decoder = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 12))
optimizer = torch.optim.Adam(list(encoder.parameters()) + list(decoder.parameters()), lr=0.01)
basis = torch.randn(2, 12)


def reconstruct(x):
    code = encoder(x).detach()  #~ GRD102
    return decoder(code + 0.01 * torch.randn_like(code))


for step in range(80):
    x = torch.randn(64, 2) @ basis
    loss = (reconstruct(x) - x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"reconstruction error {loss.item():.3f}")
