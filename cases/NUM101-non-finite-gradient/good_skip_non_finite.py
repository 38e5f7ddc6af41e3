"""The loop itself checks the gradient norm and skips the few batches on which it is not finite."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
X = torch.randn(480, 4)
Y = X.sum(1, keepdim=True)
X[100, 2] = float("inf")
skipped = 0
for idx in torch.randperm(480).split(12):
    opt.zero_grad()
    loss = (net(X[idx]) - Y[idx]).pow(2).mean()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    if not torch.isfinite(norm):
        skipped += 1
        opt.zero_grad()
        continue
    opt.step()
print(f"skipped {skipped}, error {(net.weight - 1).abs().max().item():.3f}")
