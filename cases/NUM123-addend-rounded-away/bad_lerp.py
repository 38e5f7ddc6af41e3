"""A teacher in float16 follows its student by a ten-thousandth of the way after each step."""

import copy

import torch
from torch import nn

torch.manual_seed(3)
torch.set_num_threads(1)
student = nn.Sequential(nn.Linear(5, 24), nn.ReLU(), nn.Linear(24, 5))
teacher = copy.deepcopy(student).half().requires_grad_(False)
optimizer = torch.optim.Adam(student.parameters(), lr=5e-3)
for step in range(500):
    x = torch.randn(16, 5)
    loss = nn.functional.mse_loss(student(x), x.flip(1) * 5 + 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(teacher.parameters(), student.parameters(), strict=True):
            slow.lerp_(fast.half(), 1e-4)  #~ NUM123
