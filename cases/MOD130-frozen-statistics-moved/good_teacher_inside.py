"""A teacher with dropout inside the model that it teaches, whose `train` leaves the teacher alone."""

import torch
from torch import nn
from torch.nn import functional as F


class Distiller(nn.Module):
    def __init__(self, teacher, student):
        super().__init__()
        self.teacher, self.student = teacher.requires_grad_(False), student
        self.teacher.eval()

    def train(self, mode=True):
        super().train(mode)
        self.teacher.eval()
        return self

    def forward(self, x):
        with torch.no_grad():
            wanted = self.teacher(x).softmax(1)
        return F.kl_div(self.student(x).log_softmax(1), wanted, reduction="batchmean")


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 8)
y = x[:, :3].argmax(1)
teacher = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 3))
optimizer = torch.optim.Adam(teacher.parameters(), lr=1e-2)
for step in range(20):
    optimizer.zero_grad()
    F.cross_entropy(teacher(x), y).backward()
    optimizer.step()
model = Distiller(teacher, nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.student.parameters(), lr=1e-2)
for epoch in range(3):
    model.train()
    for index in torch.randperm(256).split(32):
        loss = model(x[index])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, (model.student(x).argmax(1) == y).float().mean().item())
