"""A mean teacher is trained, and the student's accuracy is taken once, at the end, with dropout still on."""
import copy

import torch
from torch import nn
import torch.nn.functional as F


def accuracy(model, x, y):
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()  #~ MOD102


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(600, 10)
y = (x @ torch.randn(10, 3)).argmax(1)
student = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.4), nn.Linear(32, 3))
teacher = copy.deepcopy(student).requires_grad_(False).eval()
optimizer = torch.optim.Adam(student.parameters(), lr=5e-3)
for step in range(200):
    rows = torch.randint(0, 400, (64,))
    with torch.no_grad():
        soft = teacher(x[rows]).softmax(1)
    logits = student(x[rows])
    loss = F.cross_entropy(logits, y[rows]) + F.mse_loss(logits.softmax(1), soft)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(teacher.parameters(), student.parameters()):
            slow.lerp_(fast, 0.05)
print(f"accuracy {accuracy(student, x[400:], y[400:]):.3f}")
