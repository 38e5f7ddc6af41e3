"""The same classifier with log_softmax before NLLLoss."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 12)
Y = (X @ torch.randn(12, 4)).argmax(1)
loader = DataLoader(TensorDataset(X, Y), batch_size=32, shuffle=True)
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 4), nn.LogSoftmax(dim=1))
criterion = nn.NLLLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(5):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
