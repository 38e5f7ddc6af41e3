"""A regression whose validation error is computed after the region without gradients, from a column and a row."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(400, 6)
y = x.sum(1)
model = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(5):
    for rows in torch.randperm(320).split(32):
        optimizer.zero_grad()
        loss = ((model(x[rows])[:, 0] - y[rows]) ** 2).mean()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        predicted = model(x[320:])
    error = (predicted - y[320:]).abs().mean()  #~ EVL120
    print(epoch, error.item())
