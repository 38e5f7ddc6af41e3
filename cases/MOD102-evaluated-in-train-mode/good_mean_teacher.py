"""Mean teacher: the averaged teacher runs in train mode under no_grad, since its dropout is part of the method."""
import copy
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
student = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2))
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad_(False)
opt = torch.optim.Adam(student.parameters(), lr=0.01)
labelled = torch.randn(20, 2)
labels = (labelled[:, 0] > 0).long()
for step in range(50):
    pool = torch.randn(64, 2)
    with torch.no_grad():
        guess = F.softmax(teacher(pool), dim=1)
    supervised = F.cross_entropy(student(labelled), labels)
    consistency = (F.softmax(student(pool), dim=1) - guess).pow(2).mean()
    opt.zero_grad()
    (supervised + consistency).backward()
    opt.step()
    with torch.no_grad():
        for t, s in zip(teacher.parameters(), student.parameters()):
            t.mul_(0.95).add_(s, alpha=0.05)
teacher.eval()
with torch.no_grad():
    print(f"teacher accuracy {(teacher(labelled).argmax(1) == labels).float().mean().item():.3f}")
