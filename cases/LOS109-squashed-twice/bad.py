"""The model ends in a sigmoid, and the loop applies another one before BCELoss."""
import torch
from torch import nn


class Churn(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(9, 24), nn.ReLU(), nn.BatchNorm1d(24), nn.Linear(24, 1), nn.Sigmoid())

    def forward(self, x):
        return self.layers(x).squeeze(1)  #~? LOS109


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 9)
Y = (X[:, 0] > 0.3 * X[:, 1]).float()
model, criterion = Churn(), nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    for idx in torch.randperm(256).split(32):
        optimizer.zero_grad()
        output = torch.sigmoid(model(X[idx]))  #~ LOS109
        loss = criterion(output, Y[idx])
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
