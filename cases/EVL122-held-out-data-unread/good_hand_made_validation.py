"""Quality is measured on tensors that were held back, beside the training data; a loader of the test data is made for later."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(600, 8)
y = (x[:, 0] > 0).long()
train_loader = DataLoader(TensorDataset(x[:400], y[:400]), batch_size=40, shuffle=True)
test_loader = DataLoader(TensorDataset(x[500:], y[500:]), batch_size=50)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for inputs, labels in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
    with torch.no_grad():
        seen = sum((model(inputs).argmax(1) == labels).sum().item() for inputs, labels in train_loader) / 400
        held_back = (model(x[400:500]).argmax(1) == y[400:500]).float().mean()
    print(epoch, seen, held_back.item())
