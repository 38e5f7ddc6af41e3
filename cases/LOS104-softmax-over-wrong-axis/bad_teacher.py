"""Distillation whose soft targets are taken over the samples; the student's softmax is right."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
teacher, student = nn.Linear(8, 5), nn.Linear(8, 5)
optimizer = torch.optim.Adam(student.parameters(), lr=0.01)
for _ in range(20):
    x = torch.randn(32, 8)
    with torch.no_grad():
        given = teacher(x)
    logits = student(x)
    soft = F.softmax(given * 3, dim=0)  #~ LOS104
    loss = F.kl_div(F.log_softmax(logits, dim=1), soft, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
