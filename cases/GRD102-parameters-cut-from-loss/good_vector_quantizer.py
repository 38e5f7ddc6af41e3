"""VQ-VAE: codes are detached for the commitment and latents for the codebook term, and each part still learns."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
enc, dec, book = nn.Linear(6, 4), nn.Linear(4, 6), nn.Embedding(16, 4)
params = [*enc.parameters(), *dec.parameters(), *book.parameters()]
opt = torch.optim.Adam(params, lr=0.01)
centres = torch.randn(8, 6)
for _ in range(80):
    x = centres[torch.randint(0, 8, (64,))] + 0.1 * torch.randn(64, 6)
    z = enc(x)
    with torch.no_grad():
        nearest = torch.cdist(z, book.weight).argmin(1)
    q = book(nearest)
    loss = (q - z.detach()).pow(2).mean() + 0.25 * (z - q.detach()).pow(2).mean()
    q = z + (q - z).detach()
    loss = loss + (dec(q) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
