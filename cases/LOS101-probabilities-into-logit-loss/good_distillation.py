"""Distillation: the teacher's softmax is the target of cross_entropy, and of kl_div, never the input."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(320, 8)
Y = (X @ torch.randn(8, 5)).argmax(1)
teacher = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 5))
student = nn.Linear(8, 5)


def fit(net, objective, epochs):
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(epochs):
        for idx in torch.randperm(320).split(40):
            loss = objective(net(X[idx]), X[idx], Y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
    return loss.item()


def distil(out, x, y, temperature=2.0):
    with torch.no_grad():
        soft = F.softmax(teacher(x) / temperature, dim=1)
    kl = F.kl_div(F.log_softmax(out / temperature, dim=1), soft, reduction="batchmean")
    return 0.5 * F.cross_entropy(out / temperature, soft) + kl + 0.5 * F.cross_entropy(out, y)


first = fit(teacher, lambda out, x, y: F.cross_entropy(out, y), 3)
print(f"teacher {first:.3f}, student {fit(student, distil, 3):.3f}")
