"""A small test set that lacks some of the classes, and a rare class that only the test has."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
y = torch.randint(0, 9, (480,))
centres = torch.randn(10, 8)
test_y = torch.tensor([0, 2, 3, 5, 9] * 8)
train_loader = DataLoader(TensorDataset(centres[y] + 0.3 * torch.randn(480, 8), y), batch_size=40, shuffle=True)
test_loader = DataLoader(TensorDataset(centres[test_y] + 0.3 * torch.randn(40, 8), test_y), batch_size=20)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for inputs, labels in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
    with torch.no_grad():
        right = sum((model(inputs).argmax(1) == labels).sum().item() for inputs, labels in test_loader)
    print(epoch, right / 40)
