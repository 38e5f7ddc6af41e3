"""KL by hand: cross-entropy with a frozen teacher, less the teacher's entropy, which is a constant of the data."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
teacher, student = nn.Linear(8, 5).requires_grad_(False), nn.Linear(8, 5)
opt = torch.optim.Adam(student.parameters(), lr=0.02)
for step in range(40):
    x = torch.randn(32, 8)
    log_p = F.log_softmax(student(x), dim=1)
    with torch.no_grad():
        soft = F.softmax(teacher(x), dim=1)
        entropy = -(soft * soft.log()).sum(1).mean()
    loss = -(soft * log_p).sum(1).mean() - entropy
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
