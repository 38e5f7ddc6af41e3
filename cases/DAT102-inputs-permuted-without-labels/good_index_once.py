"""The program takes its batches by a permutation of the indices, the same for inputs and targets."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(320, 10)
Y = X.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    order = torch.randperm(len(X))
    for begin in range(0, len(X), 32):
        index = order[begin : begin + 32]
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(X[index]), Y[index])
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
