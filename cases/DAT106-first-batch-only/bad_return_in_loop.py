"""The `return` of a training epoch has slipped into its loop."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_epoch(model, loader, optimizer):
    for x, y in loader:  #~ DAT106
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()  #~? DAT106


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 10)
loader = DataLoader(TensorDataset(X, (X[:, 0] > 0).long()), batch_size=32)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
print([train_epoch(model, loader, optimizer) for epoch in range(12)])
