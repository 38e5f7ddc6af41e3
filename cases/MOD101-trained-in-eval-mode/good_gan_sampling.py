"""The generator goes to eval mode to draw samples for the log and back to train mode before the next step."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
G = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Dropout(0.2), nn.Linear(16, 1))
og, od = torch.optim.Adam(G.parameters(), 2e-3), torch.optim.Adam(D.parameters(), 2e-3)
yes, no = torch.ones(32, 1), torch.zeros(32, 1)
noise = torch.randn(64, 4)
for step in range(40):
    od.zero_grad()
    fake = G(torch.randn(32, 4))
    d_loss = F.binary_cross_entropy_with_logits(D(torch.randn(32, 2) + 2), yes)
    d_loss = d_loss + F.binary_cross_entropy_with_logits(D(fake.detach()), no)
    d_loss.backward()
    od.step()
    og.zero_grad()
    F.binary_cross_entropy_with_logits(D(fake), yes).backward()
    og.step()
    if step % 10 == 9:
        G.eval()
        with torch.no_grad():
            centre = G(noise).mean().item()
        G.train()
print(f"d loss {d_loss.item():.3f}, sample mean {centre:.2f}")
