"""SimSiam: each branch's target is detached, and the same weights get their gradient from the other branch."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
encoder = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 16))
predictor = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 16))
opt = torch.optim.SGD([*encoder.parameters(), *predictor.parameters()], lr=0.05, momentum=0.9)


def distance(p, z):
    return -F.cosine_similarity(p, z.detach(), dim=1).mean()


for _ in range(50):
    x = torch.randn(64, 10)
    z1 = encoder(x + 0.1 * torch.randn_like(x))
    z2 = encoder(x + 0.1 * torch.randn_like(x))
    loss = (distance(predictor(z1), z2) + distance(predictor(z2), z1)) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
