"""Data that lies sorted by class is cut into training and test."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
y = torch.arange(10).repeat_interleave(60)
x = torch.randn(10, 8)[y] + 0.3 * torch.randn(600, 8)
data = TensorDataset(x, y)
train_loader = DataLoader(Subset(data, range(480)), batch_size=40, shuffle=True)
test_loader = DataLoader(Subset(data, range(480, 600)), batch_size=40)  #~ EVL123
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for inputs, labels in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
    with torch.no_grad():
        right = sum((model(inputs).argmax(1) == labels).sum().item() for inputs, labels in test_loader)
    print(epoch, right / 120)
