"""The same float16 classifier, with an eps that float16 can hold."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 16)
x[:, 3] = 0.0
y = (x[:, 0] + x[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2)).half()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-4)
for epoch in range(5):
    for batch in torch.randperm(256).split(32):
        loss = nn.functional.cross_entropy(model(x[batch].half()).float(), y[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
