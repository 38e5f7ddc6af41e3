"""SoftMarginLoss on labels of 0 and 1: the zeros teach nothing."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(200, 6)
Y = (X[:, 0] > 0).float()
model, loss_fn = nn.Linear(6, 1), nn.SoftMarginLoss()
opt = torch.optim.SGD(model.parameters(), lr=0.2)
for epoch in range(5):
    for idx in torch.randperm(200).split(40):
        loss = loss_fn(model(X[idx]).squeeze(1), Y[idx])  #~ LOS105
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
