"""A module that holds a perturbation and moves it by hand, beside the training of the network that it attacks."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Robust(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(8, 16)
        self.head = nn.Linear(16, 3)
        self.delta = torch.zeros(16, requires_grad=True)

    def forward(self, x):
        return self.head(torch.relu(self.stem(x) + self.delta))


model = Robust()
X = torch.randn(256, 8)
Y = X[:, :3].argmax(1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(8):
    for idx in torch.randperm(256).split(32):
        optimizer.zero_grad()
        F.cross_entropy(model(X[idx]), Y[idx]).backward()
        optimizer.step()
        with torch.no_grad():
            model.delta += 0.01 * model.delta.grad.sign()
            model.delta.clamp_(-0.1, 0.1)
            model.delta.grad = None
