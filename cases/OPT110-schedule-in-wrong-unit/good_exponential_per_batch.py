"""ExponentialLR is stepped per batch, with a factor close to one that is meant for batches."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
emb, out = nn.Embedding(20, 8), nn.Linear(8, 20)
opt = torch.optim.Adam([*emb.parameters(), *out.parameters()], lr=0.1)
decay = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.97)
for step in range(60):
    token = torch.randint(0, 20, (48,))
    loss = nn.functional.cross_entropy(out(emb(token)), (token + 7) % 20)
    opt.zero_grad()
    loss.backward()
    opt.step()
    decay.step()
print(f"loss {loss.item():.3f}, rate {decay.get_last_lr()[0]:.4f}")
