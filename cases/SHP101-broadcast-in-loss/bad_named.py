"""SmoothL1Loss gets outputs of shape [N, 1] and targets of shape [N] (torch warns about the sizes)."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 5)
Y = X[:, 0] - 2 * X[:, 3]
model = nn.Linear(5, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
criterion = nn.SmoothL1Loss()
for epoch in range(5):
    for idx in torch.randperm(256).split(32):
        x, y = X[idx], Y[idx]
        loss = criterion(model(x), y)  #~ SHP101
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"weight of feature 3: {model.weight[0, 3].item():.2f} (true -2.00)")
