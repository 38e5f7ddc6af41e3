"""The program takes its batches itself, by a new permutation in each epoch."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
Y = torch.randint(0, 6, (480,)).sort().values
X = torch.randn(6, 16)[Y] + torch.randn(480, 16)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 6))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for epoch in range(4):
    order = torch.randperm(480)
    shuffled_x, shuffled_y = X[order], Y[order]
    for begin in range(0, 480, 20):
        x, y = shuffled_x[begin : begin + 20], shuffled_y[begin : begin + 20]
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
