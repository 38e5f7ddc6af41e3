"""A relu encoder is drawn towards a codebook with entries below zero, and the codebook towards it: both can move."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
encoder, decoder, codebook = nn.Sequential(nn.Linear(10, 6), nn.ReLU()), nn.Linear(6, 10), nn.Embedding(16, 6)
opt = torch.optim.Adam([*encoder.parameters(), *decoder.parameters(), *codebook.parameters()], lr=0.01)
X = torch.randn(256, 10)
for step in range(50):
    x = X[torch.randint(0, 256, (32,))]
    z = encoder(x)
    code = codebook(torch.cdist(z, codebook.weight).argmin(1))
    again = decoder(z + (code - z).detach())
    loss = F.mse_loss(again, x) + F.mse_loss(code, z.detach()) + 0.25 * F.mse_loss(z, code.detach())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
