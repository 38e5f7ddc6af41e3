"""Sample weights of shape [N] multiply an unreduced loss of shape [N, 1]."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(400, 4)
clean = (X[:, 0] + X[:, 1] > 0).float()
noisy = torch.rand(400) < 0.45
Y = torch.where(noisy, torch.zeros(400), clean)
weight = torch.where(noisy, 0.02, 1.0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=0.02)
for step in range(80):
    idx = torch.randint(0, 400, (50,))
    x, y, w = X[idx], Y[idx], weight[idx]
    per_sample = F.binary_cross_entropy_with_logits(model(x), y.unsqueeze(1), reduction="none")
    loss = (w * per_sample).mean()  #~ SHP101
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    right = ((model(X).squeeze(1) > 0).float() == clean).float().mean().item()
print(f"accuracy on clean labels {right:.3f}")
