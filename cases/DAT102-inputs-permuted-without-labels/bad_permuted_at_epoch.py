"""At the beginning of each epoch the inputs are put in a new order; the classes are not."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
Y = torch.randint(0, 4, (384,))
X = torch.randn(4, 12)[Y] * 2 + torch.randn(384, 12)
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    perm = torch.randperm(384)
    X = X[perm]  #~ DAT102
    for begin in range(0, 384, 32):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(X[begin : begin + 32]), Y[begin : begin + 32])
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
