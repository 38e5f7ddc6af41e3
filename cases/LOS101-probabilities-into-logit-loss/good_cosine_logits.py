"""Cosine similarities in [-1, 1] divided by a temperature are logits, as in CLIP, and the last softmax is attention."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
pool = nn.Linear(6, 1)
image, text = nn.Linear(6, 16), nn.Linear(4, 16)
mixing = torch.randn(4, 6)
opt = torch.optim.Adam([*pool.parameters(), *image.parameters(), *text.parameters()], lr=0.01)
for _ in range(60):
    captions = torch.randn(32, 4)
    patches = (captions @ mixing).unsqueeze(1) + 0.3 * torch.randn(32, 5, 6)
    weight = torch.softmax(pool(patches), dim=1)
    z = F.normalize(image((weight * patches).sum(1)), dim=1)
    c = F.normalize(text(captions), dim=1)
    logits = z @ c.T / 0.1
    labels = torch.arange(32)
    loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
