"""Each sample is drawn to what a teacher says of it, and away from what it said of others before."""
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(640, 10)
loader = DataLoader(TensorDataset(x), batch_size=32, shuffle=True)
teacher, student = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 6)), nn.Linear(10, 6)
optimizer = torch.optim.Adam(student.parameters(), lr=0.01)
with torch.no_grad():
    others = [teacher(batch) for (batch,) in loader]
for epoch in range(3):
    for (batch,), other in zip(loader, others):
        with torch.no_grad():
            own = teacher(batch)
        said = student(batch)
        loss = F.relu(1 + ((said - own) ** 2).sum(1) - ((said - other) ** 2).sum(1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
