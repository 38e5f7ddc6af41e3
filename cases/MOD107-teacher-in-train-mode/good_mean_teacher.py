"""A mean teacher: the moving average of the student, kept in train mode so that it sees noise of its own."""
import copy

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
student = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 3))
teacher = copy.deepcopy(student)
teacher.load_state_dict(student.state_dict())
opt = torch.optim.Adam(student.parameters(), lr=0.01)
mixing = torch.randn(8, 3)
for step in range(50):
    x = torch.randn(32, 8)
    with torch.no_grad():
        target = teacher(x).softmax(1)
    out = student(x + 0.1 * torch.randn_like(x))
    loss = F.cross_entropy(out[:8], (x[:8] @ mixing).argmax(1)) + F.mse_loss(out.softmax(1), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for mean, now in zip(teacher.parameters(), student.parameters()):
            mean.lerp_(now, 0.05)
print(f"loss {loss.item():.3f}")
