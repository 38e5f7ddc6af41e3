"""Log-probabilities made by hand: the logarithm of a softmax, logits less their logsumexp, and a focal factor."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(8, 5)
opt = torch.optim.Adam(net.parameters(), lr=0.02)
X = torch.randn(320, 8)
Y = (X @ torch.randn(8, 5)).argmax(1)
for epoch in range(4):
    for idx in torch.randperm(320).split(40):
        logits, y = net(X[idx]), Y[idx]
        first = F.nll_loss(torch.log(torch.softmax(logits, 1) + 1e-8), y)
        second = F.nll_loss(logits - logits.logsumexp(1, keepdim=True), y)
        log_p = torch.log_softmax(logits, 1)
        focal = F.nll_loss((1 - log_p.exp()) ** 2 * log_p, y)
        loss = first + second + focal
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
