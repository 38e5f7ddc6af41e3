"""A rare class: two of a hundred labels are positive."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(600, 8)
labels = (x[:, 0] > 2.2).long()
loader = DataLoader(TensorDataset(x, labels), batch_size=30, shuffle=True)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), targets, weight=torch.tensor([1.0, 30.0]))
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
