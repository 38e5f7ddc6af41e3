"""A straight-through estimator: the value is quantized and detached, the gradient goes through x."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Quantize(nn.Module):
    def forward(self, x):
        hard = torch.round(x * 4) / 4
        return x + (hard - x).detach()


encoder = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3), Quantize())
decoder = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 6))
opt = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.01)
mix = torch.randn(2, 6)
for _ in range(60):
    x = torch.randn(64, 2) @ mix
    loss = nn.functional.mse_loss(decoder(encoder(x)), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
