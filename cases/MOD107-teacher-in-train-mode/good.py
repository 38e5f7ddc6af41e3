"""The same distillation with the teacher in eval mode."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 10)
Y = (X @ torch.randn(10, 4)).argmax(1)
teacher = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 4))
student = nn.Linear(10, 4)
optimizer = torch.optim.Adam(teacher.parameters(), lr=0.01)
for epoch in range(3):
    for idx in torch.randperm(256).split(32):
        optimizer.zero_grad()
        F.cross_entropy(teacher(X[idx]), Y[idx]).backward()
        optimizer.step()
teacher.eval()
optimizer = torch.optim.Adam(student.parameters(), lr=0.01)
for epoch in range(4):
    for idx in torch.randperm(256).split(32):
        with torch.no_grad():
            soft = F.softmax(teacher(X[idx]), dim=1)
        loss = F.kl_div(F.log_softmax(student(X[idx]), dim=1), soft, reduction="batchmean")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
