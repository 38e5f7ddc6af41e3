"""The value of one loss with the gradient of another, and a loss normalised by its own size."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
X = torch.randn(240, 8)
Y = (X @ torch.randn(8, 3)).argmax(1)
for epoch in range(5):
    for idx in torch.randperm(240).split(24):
        logits = model(X[idx])
        smooth = F.cross_entropy(logits, Y[idx])
        hard = (logits.argmax(1) != Y[idx]).float().mean()
        loss = smooth + (hard - smooth).detach()
        spread = logits.pow(2).mean()
        loss = loss + 0.01 * spread / spread.detach()
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
