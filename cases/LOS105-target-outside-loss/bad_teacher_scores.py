"""Distillation by cross_entropy on the teacher's scores, which were never made probabilities."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
teacher = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 5)).eval()
student = nn.Linear(8, 5)
opt = torch.optim.Adam(student.parameters(), lr=0.02)
for step in range(40):
    x = torch.randn(32, 8)
    with torch.no_grad():
        taught = teacher(x)
    loss = F.cross_entropy(student(x), taught)  #~ LOS105
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
