"""Cross-entropy by hand on one-hot targets, with the softmax over the samples."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(240, 6)
Y = (X @ torch.randn(6, 3)).argmax(1)
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.5)


def cross_entropy(logits, labels):
    p = torch.softmax(logits, 0).clamp(min=1e-9)  #~ LOS104
    return -(F.one_hot(labels, 3) * torch.log(p)).sum(1).mean()


for epoch in range(5):
    for idx in torch.randperm(240).split(24):
        loss = cross_entropy(model(X[idx]), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
