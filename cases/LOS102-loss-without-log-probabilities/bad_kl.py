"""Distillation in a trainer class: both sides of kl_div are probabilities."""
import torch
from torch import nn
import torch.nn.functional as F


class Distiller:
    def __init__(self, teacher, student, temperature=3.0):
        self.teacher, self.student, self.temperature = teacher.eval(), student, temperature
        self.optimizer = torch.optim.AdamW(student.parameters(), lr=0.01)

    def objective(self, x, y):
        with torch.no_grad():
            soft = F.softmax(self.teacher(x) / self.temperature, dim=-1)
        out = self.student(x)
        mine = F.softmax(out / self.temperature, dim=-1)
        kl = F.kl_div(mine, soft, reduction="batchmean")  #~ LOS102
        return F.cross_entropy(out, y) + self.temperature**2 * kl

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = self.objective(x, y)
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(320, 8)
Y = (X @ torch.randn(8, 5)).argmax(1)
distiller = Distiller(nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 5)), nn.Linear(8, 5))
for epoch in range(4):
    for idx in torch.randperm(320).split(40):
        loss = distiller.step(X[idx], Y[idx])
print(f"loss {loss:.3f}")
