"""A teacher takes over the statistics as well before it is asked."""

import copy

import torch
from torch import nn

torch.manual_seed(3)
torch.set_num_threads(1)


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 24), nn.BatchNorm1d(24), nn.ReLU())
        self.score = nn.Linear(24, 1)

    def forward(self, rows):
        return self.score(self.body(rows)).squeeze(-1)


class Teacher:
    def __init__(self, student, rate=0.05):
        self.net, self.rate = copy.deepcopy(student).eval(), rate

    def learn_from(self, student):
        for own, new in zip(self.net.parameters(), student.parameters(), strict=True):
            own.data = (1 - self.rate) * own.data + self.rate * new.data


def fit(student, rows, optimizer, teacher=None):
    student.train()
    for batch in rows.split(32):
        loss = nn.functional.mse_loss(student(batch), batch.sum(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if teacher is not None:
            teacher.learn_from(student)


student = Scorer()
optimizer = torch.optim.SGD(student.parameters(), lr=0.02, momentum=0.9)
first, second = torch.randn(640, 6), 2 * torch.randn(960, 6) + 3
fit(student, first, optimizer)
teacher = Teacher(student)
fit(student, second, optimizer, teacher)
with torch.no_grad():
    for own, new in zip(teacher.net.buffers(), student.buffers(), strict=True):
        own.copy_(new)
    error = (teacher.net(second[:200]) - second[:200].sum(1)).abs().mean()
print(f"{error:.3f}")
