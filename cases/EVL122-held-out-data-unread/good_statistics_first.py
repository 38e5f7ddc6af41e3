"""The training loader is read once for its mean and its features' scale; the test loader waits for another run."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = 3 * torch.randn(500, 8) + 1
y = (x[:, 0] > 1).long()
train_loader = DataLoader(TensorDataset(x[:400], y[:400]), batch_size=40, shuffle=True)
test_loader = DataLoader(TensorDataset(x[400:], y[400:]), batch_size=50)
mean = torch.cat([inputs for inputs, _ in train_loader]).mean(0)
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for inputs, labels in train_loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs - mean), labels)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
torch.optim.swa_utils.update_bn(train_loader, model)
print(len(test_loader))
