"""Distillation from a teacher that was trained before, and never put into eval mode."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def train_teacher(teacher, loader):
    optimizer = torch.optim.Adam(teacher.parameters(), lr=0.01)
    for epoch in range(3):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(teacher(x), y).backward()
            optimizer.step()


def distil(teacher, student, loader, temperature=2.0):
    optimizer = torch.optim.Adam(student.parameters(), lr=0.01)
    for epoch in range(4):
        for x, y in loader:
            with torch.no_grad():
                soft = F.softmax(teacher(x) / temperature, dim=1)  #~ MOD107
            out = student(x)
            kl = F.kl_div(F.log_softmax(out / temperature, dim=1), soft, reduction="batchmean")
            loss = 0.5 * kl * temperature**2 + 0.5 * F.cross_entropy(out, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 10)
Y = (X @ torch.randn(10, 4)).argmax(1)
loader = DataLoader(TensorDataset(X, Y), batch_size=32, shuffle=True)
teacher = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 4))
student = nn.Linear(10, 4)
train_teacher(teacher, loader)
print(f"loss {distil(teacher, student, loader):.3f}")
